# versions: 3.7-
"""`for y in [value]` is compiled like an assignment (3.9+)."""


def f(a, g):
    s = [y for x in a for y in [g(x)]]
    t = {y for x in a if x for y in [g(x)] if y}
    u = {y: z for x in a for y, z in [(x, g(x))]}
    v = (y for x in a for y in [g(x)])
    w = [z for x in a for y in [x + 1] for z in y]
    x = [z for x in a for y in [x + 1] for z in [y * y] if z]
    return ((i, j) for i in a for j in [i * i])
def h(a):
    return [lambda: y for x in a for y in [x]]
class C:
    z = [y for x in q for y in [x]]
def hh(a):
    return [lambda: x for x in a]
def i(a):
    return [lambda: y for x in a for y in x]
def j(a):
    return [lambda: y for x in a for y in [x]]
def one(a):
    return [z for x in a for y in [x + 1] for z in [y * y] if z]
def two(a):
    return [z for x in a for y in [x + 1] for z in [y * y]]
def three(a):
    return [z for x in a for y in [x] for z in [y]]
def four(a):
    return [z for x in a for y in [x+1] if y]
