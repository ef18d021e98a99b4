# versions: 3.7-
def values(a, b, c, d):
    x = a and b or c
    y = a if b else c if d else None
    z = not a and (b or not c)
    w = a < b <= c != d
    v = (a or b) and (c or d)
    return [x, y, z, w, v, a is None, b is not None, c in d, c not in d]


def tests(a, b, c, d):
    if a and b or c and not d:
        a()
    elif a < b < c or (d if a else b):
        b()
    elif a in b:
        pass
    else:
        c()
    assert a or b, "neither"
    assert a not in b
    while not (a and b):
        a = c


def returns(a, b, c):
    if a:
        return b and c
    return b if c else a


def arguments(a, b, c):
    return f(a and b, *(c or ()), key=a if b else c, **({} if a else b))


def comprehensions(xs, ys):
    a = [x for x in xs if x and x.y or not x.z]
    b = {x: y for x in xs for y in ys if x != y}
    c = {x for x in xs if x if x > 1}
    d = sum(x * y for x in xs if x for y in (ys if x else xs))
    return a, b, c, d, [[y for y in x] for x in xs]


def f(*args, **kwargs):
    return args, kwargs
