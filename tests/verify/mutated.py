"""Code of which every part matters: mutate.cpp changes one thing after the other."""

import os
from collections import OrderedDict as Ordered

LIMIT = 10
RATIO = 0.5


def decorate(f):
    return f


def compare(a, b, scale=3, *, strict=False):
    """Docstring."""
    if a < b and not strict:
        return a + b * scale
    elif a is None or b in LIMITS:
        a -= 1
    else:
        a = b - a
    return -a if a > b else [a, b, "text"]


def protect(path, log):
    try:
        data = read(path)
        log(data)
    except OSError as error:
        log(error, level=1)
        raise ValueError(path) from error
    except KeyError:
        data = None
    else:
        log.done(path)
    finally:
        close(path)
    return data


def loops(rows):
    total = 0
    for row in rows:
        if not row:
            continue
        while row.more():
            total += row.take(1)
            if total > LIMIT:
                break
        else:
            row.finish()
    report(total)
    return {r.key: r.value for r in rows if r.ok}, [x for row in rows for x in row]


@decorate
class Base(object):
    attribute = {"a": 1, "b": (1, 2)}

    def method(self, other):
        with self.lock as held:
            self.value = other.value
            held.use(self)
        return lambda x: x + self.value

    def generate(self):
        for item in self.items:
            yield item
        yield from self.rest()


def closure(n):
    count = n

    def inner(step):
        nonlocal count
        count += step
        return count

    return inner
