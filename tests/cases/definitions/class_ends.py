# versions: 3.7-
"""The compiler copies what ends a class body to each way out of it."""


class Conditional(Base):
    def f(self):
        return super().f()

    if h:
        a = 1
    else:
        a = 2


class Tried(Base):
    def f(self):
        return super().f()

    try:
        a = 1
    except Exception:
        b
    else:
        a = 2


class NotAnnotations:
    a: int
    __annotations__["123"] = 123
    __annotations__["if"] = 123
    __annotations__[3] = 123
