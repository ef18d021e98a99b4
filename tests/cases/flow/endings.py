# versions: 3.7-
"""Loops, with and try statements whose parts never come to their end."""


if case_1:
    while a:
        while a:
            pass


if case_2:
    while True:
        try:
            a
        except:
            pass
        else:
            break


def case_3(*c, **e):
    try:
        pass
    finally:
        return a


if case_4:
    while a:
        while b:
            pass


if case_5:
    while a:
        while b:
            c


if case_6:
    while a:
        c
        while b:
            pass


def case_7():
    try:
        a
    finally:
        assert a
        return


def case_8():
    try:
        a
    finally:
        if not b:
            raise c
        return


def case_9(*popenargs, **kwargs):
    try:
        with open(a, "rb") as fp:
            stdout = fp.read()
    finally:
        try:
            os.unlink(a)
        except OSError:
            pass
    return stdout


def case_10():
    try:
        b
    finally:
        while x and a:
            pass


if case_11:
    while True:
        try:
            t
        except E:
            pass
        except G as e2:
            while True:
                pass


def case_12():
    for a in a:
        break
    else:
        return
    z


def case_13():
    try:
        a
    except a as e:
        try:
            g
        finally:
            b
    finally:
        c


if case_14:
    while True:
        if a:
            if a:
                pass
            else:
                break
        else:
            a


if case_15:
    while a:
        if a:
            while a:
                pass
            else:
                break


if case_16:
    while a:
        if a:
            while a:
                pass
            else:
                break


if case_17:
    while a:
        try:
            pass
        except:
            break
    try:
        pass
    finally:
        pass


if case_18:
    while a:
        try:
            pass
        except:
            break
    x


def case_19(**kw):
    with a:
        return
    if a:
        pass


async def case_20(**kw):
    async with a:
        raise


def case_21():
    try:
        c
    finally:
        with b:
            return


def case_22():
    try:
        c
    finally:
        with b:
            return


async def case_23(*y):
    async for i in a:
        try:
            b
        finally:
            assert c


if case_24:
    try:
        raise
    except a as e:
        assert not (b if c else not e)
