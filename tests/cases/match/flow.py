# versions: 3.10-
def guards(x, y):
    match x:
        case 1 if y:
            return "a"
        case [a, b] if a > b and y:
            return "b"
        case [a, b] if a < b or not y:
            return "c"
        case z if z > y > 3:
            return "d"
        case {"k": v} if (w := v):
            return w
        case _ if y == 7:
            return "e"
        case str() as s if any(c == y for c in s):
            return s
        case _:
            return "f"


def guarded_last(x, y):
    match x:
        case 1:
            print(1)
        case _ if y:
            print(2)
    print(3)


def guarded_capture(x, y):
    match x:
        case 1:
            print(1)
        case z if z > y:
            print(z)
    print(3)


def first_guarded(x):
    match x:
        case y if y > 10:
            print("big")
        case 3:
            print("three")
        case [1, *_]:
            print("list")


def loop(items):
    total = 0
    for item in items:
        match item:
            case 0:
                continue
            case -1:
                break
            case [a, b]:
                total += a * b
            case {"stop": True}:
                return total
            case int(n) if n > 100:
                total += 100
            case _:
                total += 1
    else:
        return -total
    return total


def while_loop(stack):
    while stack:
        match stack.pop():
            case "end":
                break
            case [*more]:
                stack.extend(more)
            case 1 | 2:
                continue
            case other:
                print(other)
        print("next")
    return stack


def forever(source):
    while True:
        match source():
            case None:
                return
            case "skip":
                pass
            case x:
                yield x


def tried(x):
    try:
        match x:
            case [a]:
                return a
            case {"k": v}:
                raise KeyError(v)
            case _:
                print("other")
    except KeyError as e:
        match e.args:
            case (1,):
                return "one"
            case (first, *_):
                return first
    finally:
        match x:
            case 1 | 2:
                print("finally")
            case {"k": [v]}:
                print(v)
    return None


def in_with(x, cm):
    with cm as c:
        match x:
            case [c.a, y]:
                return y
            case c.b | c.d:
                print("dotted")
    return c


def inner(x, y):
    match x:
        case [a]:
            match y:
                case [b]:
                    return a, b
                case {"c": c}:
                    print(c)
                case _:
                    print("inner")
        case {"d": d}:
            if d:
                print("d")
            else:
                return d
        case _:
            for i in x:
                match i:
                    case 1:
                        break
                    case 2:
                        continue
                print(i)
    return x, y


def tuple_subject(a, b):
    match a, b:
        case 0, 0:
            return "both"
        case (0, n) | (n, 0):
            return n
        case x, y if x == y:
            return x
    return None


def walrus_subject(f):
    match (y := f()):
        case 1:
            return y
        case [2, *_]:
            return y + y


def passes(x):
    match x:
        case 1:
            pass
        case 2:
            print(2)
        case [_, _]:
            pass
        case _:
            pass
    return x


def only_returns(x):
    match x:
        case 1:
            return 1
        case [a]:
            return a
        case _:
            return None


def chained(x, y):
    match x:
        case 1:
            print(1)
        case 2:
            print(2)
    match y:
        case 1:
            print(1)
        case [z]:
            print(z)
    match x:
        case {"a": 1} | {"b": 2}:
            print("ab")


class Body:
    match __name__:
        case "__main__":
            kind = "main"
        case str() as kind:
            pass
        case _:
            kind = None


def scopes():
    global shared
    local = 0

    def inside(x):
        nonlocal local
        global shared
        match x:
            case [local, shared]:
                return True
            case {"l": local, **shared}:
                return False

    return inside


async def waits(x):
    match await x:
        case [1, y] if await y:
            return y
        case {"a": b}:
            async with b as c:
                return c
        case z:
            async for i in z:
                match i:
                    case 1:
                        return i
                    case _:
                        await i
