# versions: 3.12-
def f[T](a: T) -> T:
    return a
def f2[T: int, *Ts, **P](a: T, b=1, *, c=2) -> T:
    return a
def f3[T: (int, str)](a): pass
class C[T]: pass
class C2[T: int, *Ts, **P](Base, metaclass=M):
    x: T
    def m[U](self, a: U, b: T) -> U:
        return T
    @dec
    def n[V](self, q=V): pass
@deco
class C3[T](list[T]): pass
@deco
async def f4[T]() -> T: pass
type X = int
type Y[T] = list[T]
type Z[T: (int, str), *Ts, **P] = dict[T, P]
def outer():
    t = 3
    def f[T](x: T, y=t):
        return t, T
    class K[T](t):
        z = t
        type Q[U] = list[U] | T
    type W = t
    return f
