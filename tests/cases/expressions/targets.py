# versions: 3.7-
"""Several targets with calls, slices and tuples of their own."""


def f(self, a, i, g):
    garbage, gc.garbage[:] = gc.garbage[:], []
    a[1:2], a[2] = a[2], a[1:2]
    a[i, 1], a[g(i)] = a[g(i)], a[i, 1]
    a[g(i)].x, a[i.j(1)] = a[i], a[i + 1]
    a, b, a[1:] = i, g, a
    return x
