# versions: 3.7-
import os.path as path, sys
from collections import OrderedDict as O, abc

numbers = (0, -1, 10**30, 1.5, -0.0, 1e300, 2j, -3j, 1 + 2j)
texts = ("it's", 'a "b"', "\n\t\\", "\udc80", "é€😀", b"\x00'\xff", "")
singles = (None, True, False, ...)
nested = ((), (1,), ((2, 3), frozenset), {1, 2, 3}, {"a": 1, "b": [2, *numbers]}, [*texts, 1])


def formats(a, b, w):
    return f"{a!r:>{w}} {{x}} {b:%Y-%m} {a + 1}" f"{'q'}"


def unpacking(a):
    b, *c, d = a
    (b, c), d = a
    b = c = d
    b, c = c, b
    b, c, d = d, c, b
    a[b:c, ::2] = a[1:], a[:-1]
    a.x += 1
    a[b] -= 2
    del a.x, a[b], c


def calls(a, *b, **c):
    a.m(*b, 1, *a, k=2, **c)
    return a(b)(c)[0].x
