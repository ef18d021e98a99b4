# versions: 3.9-
async def loops(a):
    async for x in a:
        print(x)
    else:
        print("else")
    async for x in a:
        if x:
            break
        if await x:
            continue
        print(x)
    else:
        return 1
    for y in a:
        async for x, z in y:
            try:
                await x
            except ValueError as e:
                print(e)
                continue
            finally:
                await z
    return [x async for x in a if await x]


async def withs(a):
    async with a as b, b.c() as (d, e):
        await d
    async with a:
        return await a
    return 2


async def with_in_try(a):
    try:
        async with a as b:
            await b
            for i in b:
                if i:
                    break
                async with i:
                    continue
    except ValueError:
        async with a:
            raise
    finally:
        async with a as c:
            await c
    async for x in a:
        async with x as y:
            if y:
                return y
            elif x:
                break
            continue
    return None


async def comps(a, b):
    l = [x async for x in a]
    s = {x async for x in a if x}
    d = {x: y async for x, y in a if await y}
    g = (x async for x in a)
    n = [x for x in b] if b else [await z for z in b]
    m = [x for y in a async for x in y if x]
    k = [x async for y in a for x in y]
    t = {await x for x in b}
    h = [await x async for x in b if not await x]
    return l, s, d, g, n, m, k, t, h, [i async for i in (j async for j in a)]


async def positions(a, b=None):
    await a
    x = await a
    x += await a
    a[await b] = await a
    a.b = (await a).c(await b, *await a, k=await b, **await a)
    if await a and not await b or await x:
        x = (await a) if (await b) else (await x)
    while await a:
        x = yield_ = await b
    assert await a, await b
    del a[await b]
    f"{await a}{await b!r:>{await x}}"
    lambda: 3
    x = [await a, (await b, await a), {await a: await b}]
    if (await a) < (await b) < await x:
        return -await a ** await b
    with await a as q:
        await q
    for i in await a:
        pass
    try:
        raise await a from await b
    except (await a) as e:
        await e
    return (await a)[await b:await x], await (await a)


async def agen(a):
    yield
    x = yield a
    yield await a
    async for i in a:
        yield i
        try:
            y = yield x
        finally:
            await y
    async with a as b:
        yield b
    return


async def only_try(a):
    try:
        async for x in a:
            pass
    except StopAsyncIteration:
        pass
    else:
        await a
    try:
        return await a
    finally:
        await a


def gen(a):
    x = yield from a
    y = yield from (yield x)
    try:
        yield from y
    except GeneratorExit:
        raise
    finally:
        yield
    for z in a:
        yield from z
    with a as b:
        yield b
        return (yield from a)
    return [(yield from a)] if a else (yield)


async def while_true(a):
    while True:
        try:
            await a
        except ValueError:
            continue
        except TypeError:
            break
        async for x in a:
            async for y in x:
                if y:
                    return y
            else:
                continue
            break


class K:
    async def __aenter__(self):
        async with self.lock:
            self.x = await super().__aenter__()
            return self

    @property
    async def f(self, *, a=3):
        return [x async for x in self][0]
