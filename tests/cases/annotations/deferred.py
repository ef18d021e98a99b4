# versions: 3.14-
"""doc"""
from __future__ import print_function
import q
x: int = 1
y: str
if q:
    z: float = 2
    (w): int
a.b: int = 3
a[0]: str
class C:
    """cd"""
    x: int = 1
    y: "List[C]"
    __p: C
    if q:
        z: float = 2
    def f(self, a: int, *, __b: str) -> C: ...
class D:
    a: q
def f(a: int, b: str = 1):
    z: int = 3
    w: str
    class E:
        a: a
