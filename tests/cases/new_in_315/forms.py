# versions: 3.15-
lazy import a
lazy import a.b.c
lazy import a.b as d
lazy from e import f
lazy from . import g, h as i
lazy from ..j.k import l as m, n
import o
from p import *


def comp(y, ds):
    l = [*x for x in y]
    s = {*x for x in y if x}
    d = {**d for d in ds}
    g = (*x for x in y)
    n = [*x for z in y for x in z if x if z]
    e = {**d, 1: 2, **{**q for q in ds}}
    f = [*[*w for w in x] for x in y]
    print((*x for x in y))
    return l, s, d, g, n, e, f


async def acomp(y):
    l = [*x async for x in y]
    g = (*x async for x in y)
    k = {*await x for x in y}
    d = {**await x async for x in y if await x}
    return l, g, k, d


def fast(y):
    a = list(x for x in y)
    b = set(x for x in y if x)
    c = tuple(x + 1 for x in y)
    d = all(x for x in y) and any(not x for x in y)
    if any(x for x in y):
        return sum(x for x in y)
    if not all(x for x in y) or list(x for x in y):
        return frozenset(x for x in y), frozenset({1, 2}), frozenset([1])
    return a, b, c, d, frozenset((x for x in y)), dict((x, y) for x, y in y)


def t(x, y):
    return t"a{x}b{y!r:>{x}}c", t"", t"{x}", t"{x=}", t"{x + y!s}{{}}", t"{x:d}" t"{y}", t'{"a"}{x["b"]}\n'


def consts():
    return None, True, False, "", (), -1, [], {}, 0, 1.0, -2


class K:
    lazy_ = 3
    x = [*a for a in lazy_]
    def f(self):
        yield from (x for x in self)
        for a in self:
            for b in a:
                if b:
                    return [c for c in b]
                break
            else:
                continue
            yield a
