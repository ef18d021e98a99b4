"""Small programs that make Dynamo write every kind of code: graph breaks in expressions, branches, loops, try, with and
closures, generators, side effects, dynamic shapes, higher-order operators, autograd functions, hooks, nested compilation.

CASES: (name, function, options); args_for and KW: what to call it with; eq compares results. Layout as they were written:
lines and names are part of the test."""

import asyncio, collections, contextlib, copy, dataclasses, functools, math
import torch, torch.nn as nn

CASES = []


def case(*a, **kw):
    def d(f):
        CASES.append((f.__name__, f, kw))
        return f

    return d(a[0]) if a else d


T = lambda *s: torch.linspace(-1, 1, math.prod(s)).reshape(s)
gb = torch._dynamo.graph_break


class M(nn.Module):
    def __init__(s):
        super().__init__()
        s.l = nn.Linear(4, 4)
        s.register_buffer("n", torch.zeros(()))
        s.flag = True

    def forward(s, x, *, scale=2.0, **kw):
        if s.flag:
            x = s.l(x)
        s.n += 1
        return x * scale + sum(kw.values())


class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


@dataclasses.dataclass
class DC:
    a: torch.Tensor
    b: int = 3


NT = collections.namedtuple("NT", "p q")
G = {"n": 0}
GL = 0


@case
def simple(x):
    return x.sin() + 1


@case
def branch_data(x):
    if x.sum() > 0:
        return x + 1
    return x - 1


@case
def branch_assign(x, y):
    a = x / (x.abs() + 1)
    if y.sum() < 0:
        y = y * -1
    return a * y


@case
def print_break(x):
    y = x + 1
    print("hi", end="")
    return y * 2


@case
def break_in_expr(x):
    return (x + 1) * (lambda t: t)(x) + torch.tensor(x.sum().item()) * x


@case
def item_break(x):
    n = int(x.sum().item())
    return x * n


@case
def two_breaks(x):
    x = x + 1
    gb()
    x = x * 2
    gb()
    return x.relu(), [x]


@case
def loop_break(x):
    for i in range(3):
        x = x + i
        gb()
    return x


@case
def loop_nobreak(x):
    for i in range(5):
        if i == 3:
            continue
        x = x + i
    else:
        x = x - 1
    return x


@case
def while_loop(x):
    i = 0
    while i < 4:
        i += 1
        x = x * i
    return x


@case
def closure_read(x):
    k = 3

    def g(t):
        return t + k

    y = g(x)
    gb()
    return g(y)


@case
def closure_nonlocal(x):
    n = 0

    def g(t):
        nonlocal n
        n += 1
        return t * n

    y = g(x)
    y = g(y)
    gb()
    return g(y), n


@case
def closure_returned(x):
    y = x + 1

    def g(z):
        return z + y

    return g


@case
def lambda_capture(x):
    f = [lambda t, i=i: t * i for i in range(3)]
    gb()
    return sum(g(x) for g in f)


@case
def listcomp(x):
    return [x + i for i in range(3)], {i: x * i for i in range(2)}, {1, 2}


@case
def listcomp_break(x):
    ys = [x + i for i in range(3)]
    gb()
    return torch.stack([y * 2 for y in ys])


@case
def gen_sum(x):
    return sum(x * i for i in range(4))


def _gen(x):
    for i in range(3):
        yield x + i


@case
def gen_func(x):
    return list(_gen(x))


@case
def gen_break(x):
    g = _gen(x)
    a = next(g)
    gb()
    return a + next(g)


@case
def try_ok(x):
    try:
        y = x + 1
    except ValueError:
        y = x - 1
    finally:
        x = x * 2
    return x + y


@case
def try_raise(x):
    try:
        y = x + 1
        raise ValueError("a")
    except ValueError as e:
        y = x - len(str(e))
    return y


@case
def try_break(x):
    try:
        y = x + 1
        gb()
        z = y * 2
    except RuntimeError:
        z = x
    finally:
        w = x * 3
    return z + w


@case
def try_reraise(x):
    try:
        try:
            {}["k"]
        except KeyError as e:
            raise RuntimeError("x") from e
    except RuntimeError:
        return x + 5


@case
def with_nograd(x):
    with torch.no_grad():
        y = x * 2
    return y + x


@case
def with_nograd_break(x):
    with torch.no_grad():
        y = x * 2
        gb()
        y = y + 1
    return y + x


@case
def with_nested_break(x):
    with torch.no_grad():
        with torch.autocast("cpu", enabled=False):
            y = x @ x.T
            gb()
            y = y + 1
    return y


@contextlib.contextmanager
def cm(v):
    yield v


@case
def with_user_cm(x):
    with cm(3) as v:
        y = x * v
    return y


@case
def with_user_cm_break(x):
    with cm(3) as v:
        y = x * v
        gb()
        y = y + v
    return y


@case
def inference_mode(x):
    with torch.inference_mode():
        return x * 2


@case
def set_grad(x):
    torch.set_grad_enabled(False)
    y = x + 1
    torch.set_grad_enabled(True)
    return y


@case
def kwargs_fn(x, *args, k=1, **kw):
    return x * k + sum(args) + kw["z"]


@case
def kwonly_break(x, *, k=2):
    gb()
    return x * k


@case
def star_call(x):
    a = (x, x)
    d = {"dim": 0}
    return torch.stack(a, **d) + torch.add(*a)


@case
def star_break(x):
    a = [x, x]
    gb()
    return torch.cat([*a, x]), {**{"a": x}, "b": 1}


@case
def mutate_list(l):
    l.append(l[0] + 1)
    l[0] = l[0] * 2
    return l[1]


@case
def mutate_dict(d):
    d["y"] = d["x"] + 1
    d.pop("z")
    return d["x"]


@case
def mutate_tensor(x):
    x.add_(1)
    x[0] = 5
    return x.sum()


@case
def mutate_global(x):
    global GL
    GL += 1
    G["n"] += 1
    return x + GL


@case
def mutate_obj(x, o):
    o.cnt += 1
    o.t = x * 2
    return o.t + o.cnt


@case
def new_obj(x):
    return DC(x + 1, b=4), NT(x, 1)


@case
def dataclass_break(x):
    d = DC(x)
    gb()
    d.b += 1
    return d.a * d.b


@case
def slices(x):
    return x[1:], x[..., 0], x[::2, None], x[-1]


@case
def setattr_break(x, o):
    setattr(o, "q", x + 1)
    gb()
    return o.q * 2


@case
def fstring(x):
    s = f"{x.shape[0]!r:>4}"
    gb()
    return x + len(s)


@case
def unpack(x):
    a, *b = x.unbind(0)
    c, d = b[0], a
    gb()
    return c + d


@case
def chain_cmp(x):
    n = x.shape[0]
    return x + 1 if 1 < n <= 10 else x


@case
def ternary_break(x):
    y = x + 1 if x.sum() > 0 else x - 1
    return y * 2


@case
def and_or_break(x, y):
    return (x + 1) if (x.sum() > 0 and y.sum() > 0) or x.max() > 9 else y


@case
def assert_t(x):
    assert x.sum() > -1e9, "neg"
    return x + 1


@case
def assert_v(x):
    assert x.shape[0] > 0
    return x + 1


@case
def str_ops(x):
    return x * len("a,b".split(",")), "x".join(["a", "b"])


@case
def none_ret(x):
    x + 1


@case
def const_ret(x):
    return 3, "s", None, (1, (2.5, True))


@case
def same_input(x):
    return x, x, [x]


@case
def dtype_dev(x):
    return x.to(torch.float64), x.dtype, x.device, x.shape


@case
def torch_size(x):
    return torch.zeros(x.size()), x.size(0)


@case
def numpy_ops(x):
    import numpy as np

    return np.sin(x.numpy()) + 1


@case
def rng_py(x):
    import random

    random.seed(0)
    return x * random.random()


@case
def rng_t(x):
    torch.manual_seed(0)
    return x + torch.rand_like(x)


@case
def autograd_fn(x):
    return Sq.apply(x).sum()


@case(grad=True)
def backward_in(x):
    y = (x * x).sum()
    y.backward()
    return x.grad


@case(grad=True)
def hook_in(x):
    x.register_hook(lambda g: g * 2)
    return (x * 3).sum()


@case
def checkpoint(x):
    return torch.utils.checkpoint.checkpoint(lambda t: t.sin() * t, x, use_reentrant=False)


@case
def cond(x):
    return torch.cond(x.sum() > 0, lambda t: t + 1, lambda t: t - 1, (x,))


@case
def hop_while(x):
    from torch._higher_order_ops.while_loop import while_loop as wl

    return wl(lambda i, t: i < 3, lambda i, t: (i + 1, t * 2), (torch.tensor(0), x))


@case
def vmap_grad(x):
    return torch.func.vmap(torch.func.grad(lambda t: (t**2).sum()))(x)


@case
def disable_call(x):
    @torch._dynamo.disable
    def h(t):
        return t * 3

    return h(x) + 1


@case
def nested_compiled(x):
    return torch.compile(lambda t: t + 2, backend="eager")(x) * 2


def _inner(x):
    y = x * 2
    gb()
    return y + 1


@case
def nested_break(x):
    z = x + 1
    r = _inner(z)
    return r * z


@case
def nested_break2(x):
    r = [_inner(x + i) for i in range(2)]
    return r[0] + r[1]


@case
def nested_with(x):
    with torch.no_grad():
        return _inner(x) + 1


def _outer2(x):
    a = x * 3
    b = _inner(a)
    return a + b


@case
def nested_deep(x):
    q = x - 1
    return _outer2(q) + q


@case
def lru(x):
    @functools.lru_cache(None)
    def h(n):
        return n + 1

    return x * h(3)


@case
def partial_call(x):
    return functools.partial(torch.add, alpha=2)(x, x)


@case
def map_filter(x):
    return list(map(lambda t: t + 1, [x, x])), list(zip([1, 2], [x, x])), list(enumerate([x]))


@case
def sort_key(x):
    return [x + i for i in sorted([3, 1, 2], key=lambda v: -v)]


@case
def super_call(x):
    class A:
        def f(s, x):
            return x + 1

    class B(A):
        def f(s, x):
            return super().f(x) * 2

    return B().f(x)


@case
def match_stmt(x):
    match x.dim():
        case 1:
            return x
        case 2 | 3:
            return x * 2
        case _:
            return x + 1


@case
def delete_local(x):
    y = x + 1
    z = y * 2
    del y
    gb()
    return z


@case
def walrus(x):
    return (n := x.shape[0]) * x + n


@case
def iter_dict(x):
    d = {"a": x, "b": x * 2}
    gb()
    return sum(v * len(k) for k, v in d.items())


@case
def deque_ops(x):
    d = collections.deque([x])
    d.append(x + 1)
    gb()
    return d.popleft() + d[0]


@case
def defaultdict_ops(x):
    d = collections.defaultdict(list)
    d["a"].append(x)
    return d["a"][0] * 2, d


@case
def complex_stack(x):
    return torch.cat([x, x + 1], dim=0) + torch.tensor([len(str(int(x[0, 0].item())))]) + torch.cat((x, x))


@case
def many_args(a, b, c, d, e):
    return a + b * c - d / (e + 10)


@case
def bool_mask(x):
    return x[x > 0]


@case
def nonzero_item(x):
    u = (x > 0).sum().item()
    torch._check(u >= 0)
    return torch.zeros(u)


@case
def hooks_mod(x):
    m = nn.Linear(4, 4)
    m.register_forward_hook(lambda m, i, o: o * 2)
    return m.weight.shape


async def _co(x):
    return x + 1


@case
def async_run(x):
    return asyncio.new_event_loop().run_until_complete(_co(x))


@case
def set_ops(x):
    s = {1, 2} | {3}
    s.add(4)
    gb()
    return x * len(s)


@case
def cmp_chain_break(x):
    gb()
    return x if x.shape[0] == 4 and x.dim() == 2 else x + 1


@case
def loop_break_inner(x):
    out = []
    for i in range(3):
        if i == 1:
            gb()
        out.append(x + i)
    return out


@case
def raise_out(x):
    if x.shape[0] == 4:
        raise ValueError("boom")
    return x


def args_for(name, fn, kw):
    x = T(4, 4)
    if kw.get("grad"):
        x = x.clone().requires_grad_()
    o = type("O", (), {})()
    o.cnt = 0
    sp = {
        "branch_assign": [(T(4), T(4)), (T(4), -T(4) - 1)],
        "and_or_break": [(x, x), (x + 5, x + 5)],
        "mutate_list": [([x.clone()],)],
        "mutate_dict": [({"x": x.clone(), "z": 1},)],
        "mutate_obj": [(x, o)],
        "setattr_break": [(x, o)],
        "many_args": [(x,) * 5],
        "branch_data": [(x + 1,), (x - 9,)],
        "ternary_break": [(x + 1,), (x - 9,)],
        "unpack": [(x,)],
    }
    return sp.get(name, [(x,)])


KW = {"kwargs_fn": {"k": 2, "z": 3}, "kwonly_break": {"k": 4}}


def flat(r):
    import torch.utils._pytree as pt

    if isinstance(r, DC):
        r = (r.a, r.b)
    if callable(r) and not isinstance(r, torch.Tensor):
        r = r(torch.ones(4, 4))
    return pt.tree_leaves(r)


def eq(a, b):
    a, b = flat(a), flat(b)
    if len(a) != len(b):
        return False
    for x, y in zip(a, b):
        if isinstance(x, torch.Tensor):
            if not torch.allclose(x.double(), y.double(), atol=1e-4, equal_nan=True):
                return False
        elif isinstance(x, DC):
            if not torch.allclose(x.a, y.a):
                return False
        else:
            try:
                if not bool(x == y):
                    return False
            except Exception:
                pass
    return True
