# versions: 3.7-
"""Globals that a function around hides."""


def outer(a, q):
    w = 1
    def inner():
        global w
        return w
    def named():
        global a, b
        print(a, b)
        def again():
            return a
        return [a for w in b], lambda: a
    def plain():
        return [w for q in b]
    print([b for b in q])
    def late():
        return b
    class C:
        global q
        q
        def m(self):
            global w
            return w
    return inner, w
