# versions: 3.7-
"""A docstring."""
import functools

counter = 0


def closure(a, b=1, *c, d, e=2, **f):
    """Adds."""
    g = a

    def inner():
        nonlocal g
        g += b
        return lambda x, y=g: (x, y, c, d)

    return inner


def uses_global():
    global counter
    counter += 1


class Base:
    """A class."""

    x: int = 1
    y: str

    def __init__(self, a):
        self.__a = a
        super().__init__()

    @property
    def a(self):
        return self.__a

    @staticmethod
    @functools.lru_cache(maxsize=None)
    def b(n: int, m: str = "s") -> bool:
        return n


class Derived(Base, metaclass=type):
    z = [i for i in range(3)]

    def c(self):
        return __class__


def generator(n):
    got = yield n
    yield from got
    return (yield)


def unreachable(n):
    return n
    yield n


async def coroutine(a):
    await a
    return [await x for x in a]
