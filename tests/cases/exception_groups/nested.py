# versions: 3.11-
def two(xs):
    out = []
    for x in xs:
        try:
            if x:
                raise ExceptionGroup("g", [ValueError(x)])
            out.append(x)
        except* ValueError as e:
            if len(e.exceptions) > 1:
                out.append(1)
            elif x:
                for y in e.exceptions:
                    if y:
                        continue
                    out.append(y)
            else:
                out.append(2)
        except* KeyError:
            while out:
                out.pop()
        except* (OSError if xs else TypeError) as err:
            pass
        finally:
            out.append("fin")
    return out


def nested(a):
    try:
        try:
            a()
        except* ValueError as e:
            try:
                a(e)
            except* TypeError:
                raise
            except* KeyError as k:
                a(k)
            finally:
                a(1)
            a(2)
    except* OSError:
        with a as b:
            try:
                b()
            except ValueError as v:
                print(v)
    return a


def last(a):
    try:
        a()
    except* ValueError:
        a(1)


def only_raise(a):
    try:
        return a()
    except* ValueError as e:
        raise TypeError from e


async def co(a):
    async with a as b:
        try:
            await b
        except* ValueError as e:
            async for x in b:
                await x
        else:
            await b.c()
        finally:
            await b.d()


try:
    import foo
except* ImportError as e:
    foo = None
    def g():
        return foo

while True:
    try:
        break
    except* ValueError:
        pass


def fin(a):
    for i in a:
        try:
            a()
        except* ValueError:
            if i:
                a(1)
        finally:
            if i:
                a(2)
        try:
            a()
        finally:
            try:
                a(3)
            except* KeyError as e:
                a(4)
                assert e, "x"
    return [x for x in a if x]


class C:
    try:
        x = 1
    except* (ValueError, TypeError) as e:
        y = e
