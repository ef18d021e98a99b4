# versions: 3.7-
"""Displays behind stars, and what a call makes of them."""


def f(a, k, b):
    f(*())
    f(*(), **{})
    f(**{})
    f(*(1, 2), **{'test': 42})
    f(*[1, 2], **{'a': 3, 'b': 4})
    f(*[1, 2])
    f(1, **{'valid': True})
    f(**{'valid': True})
    f(**{'valid': a, 'b': b})
    f(1, *a, **{'if': 3})
    f(**a, **{'if': 3, 'b': 3})
    f(**a, **{'c': 3, 'b': 3}, **b)
    f(x=1, **a, **{'c': 3, k: 3}, **b, y=4)
    f(**{'stdin': a, k: True})
    f(**{'\udc8d': True}, **a)
    f(*a, **{'\udc8d': True})
    f(*a, **{'x': True}, y=4)
    f({1, 1, 2}, {1, 1.0, True}, {*(1, 2, 3)}, {*(1, 2)}, {1, 2, 3}, {*{1, 2, 3}}, {*[1, 2, 3]})


def negative_zeros(a):
    return -(1 + 0j), -(-1 + 0j), 1 - 0j, -(0j), 0j, -1 - 6j, -1j, 0 - 1j, -(1 + 0j) ** a
