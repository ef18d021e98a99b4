# versions: 3.7-
"""Boolean operators whose value is dropped, nested or put together from equal parts."""


if case_1:
    x or a


if case_2:
    a |= (a or x) or a
    b = a or x or z
    b = a or (x or z)
    b = (a and x) or z
    b = a and x and z
    if (a or b) or c: d


def case_3(a, b, c, d):
    v = (a or b) and (c or d)


def case_4(a, b, c, d):
    x = a and b or c


if a is None:
    pass
def case_5():
    return a


if case_6:
    if a is None:
        pass
    z(3)


import x
y = [q for q in x]
def case_7():
    return y
z = [y for a in x]
