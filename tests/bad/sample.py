"""What malformed_pyc damages: small, with one of each kind of object that marshal writes."""
import sys as system


def f(a, b=1, *args, key=(1, 2.5, 3j), **kwargs):
    try:
        for item in a:
            if item in {"x", "y", b"z"}:
                return [item, 10**30, -1, "é\ud800", None, ...]
    except ValueError as error:
        raise RuntimeError(f"{error!r:>{b}}") from error
    return lambda: (a, system.path[1:2])


class C:
    async def g(self):
        async with self as x:
            await x
        yield {k: v for k, v in x if (lambda: k)}
