# versions: 3.11-
# An asynchronous comprehension inside a synchronous one.
async def comps(a, b):
    n = [[y async for y in x] for x in b] if b else [await z for z in b]
    m = [x for y in a async for x in y if x]
    return n, m, {x: [y async for y in x] for x in b}
