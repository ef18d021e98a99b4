# versions: 3.7-
def plain(a):
    try:
        a()
    except (ValueError, TypeError) as e:
        print(e)
    except KeyError:
        return 1
    except:
        raise
    else:
        a(1)
    finally:
        print("done")


def return_through_finally(a):
    try:
        return a()
    finally:
        a.close()


def loop_through_finally(xs):
    for x in xs:
        try:
            if x:
                continue
            if x is None:
                break
            x()
        finally:
            print(x)


def branch_in_finally(a):
    try:
        a()
    finally:
        if a:
            a.b()
        else:
            a.c()
    return a


def nested(a):
    try:
        try:
            a()
        except ValueError:
            pass
        finally:
            a.b()
    except KeyError as e:
        raise RuntimeError from e


def several_managers(a, b):
    with a() as x, b() as (y, z):
        if x:
            return y
        z()
    return None


def manager_in_loop(xs):
    for x in xs:
        with x:
            if x.a:
                continue
            if x.b:
                break
            x.c()


def handler_in_loop(f):
    while True:
        try:
            f()
        except ValueError:
            continue
        except KeyError:
            break
        f.g()
