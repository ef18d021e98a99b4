# versions: 3.13-
def f[T = int, *Ts = *tuple[int], **P = [int]](a: T) -> T: pass
class C[T: str = int]: pass
type X[T: (int, str) = int] = T
class Q[T](x if y else z, *a, **b):
    q: T = 3
def kw[T](a, *, b: T = 3, c=T): pass
lam = lambda: 3
class R:
    type N[T] = R | T
    __p = 1
    def h[__T: __p](self, x: __T): return __T
