# versions: 3.10-
"""What is matched may bind a name."""


match (y := x):
    case str():
        pass
match (c := a):
    case None:
        pass
def case_1():
    try:
        a
    except a as e:
        return a
    if (x := f()) is not None:
        return x


if case_2:
    match (y := x):
        case str():
            pass
    z = 1


match (c := a):
    case None:
        pass
def case_3():
    try:
        a
    except a as e:
        return a


if case_4:
    match (c := a):
        case None:
            pass
    z(3)


def case_5():
    try:
        match a:
            case []:
                pass
        pass
    finally:
        return b
