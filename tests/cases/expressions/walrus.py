# versions: 3.8-
"""Names bound within expressions."""


if (a,):
    pass
assert a, lambda *q: 0
def case_1():
    return z in (b := 0) != e
def case_2():
    try:
        return lambda *q: a
    except:
        pass
def case_3():
    try:
        return a or a
    finally:
        raise
def case_4():
    try:
        if a:
            return
        for i in a:
            return a
    finally:
        pass
async def case_5(*c, **e):
    while a:
        try:
            pass
        except:
            pass
        else:
            async for i in a:
                return a
        finally:
            pass
def case_6():
    try:
        if a:
            return 3
        for i in a:
            return 4
    finally:
        b


if case_7:
    (c := (d := d))
