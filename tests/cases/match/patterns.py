# versions: 3.10-
import operator


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y


def literals(x):
    match x:
        case 1:
            return "one"
        case -2:
            return "minus two"
        case 1.5:
            return "float"
        case "text":
            return "str"
        case b"bytes":
            return "bytes"
        case None:
            return "none"
        case True:
            return "true"
        case False:
            return "false"
        case operator.add:
            return "dotted"
        case 3 + 4j:
            return "complex"
    return "other"


def default(x):
    match x:
        case 1:
            y = "one"
        case 2:
            y = "two"
        case _:
            y = "many"
    return y


def capture_last(x):
    match x:
        case 0:
            print("zero")
        case other:
            print(other)
    print("done")


def sequences(x):
    match x:
        case []:
            return 0
        case [a]:
            return a
        case [a, b]:
            return a, b
        case [1, _, 3]:
            return "fixed"
        case [first, *rest]:
            return first, rest
        case (*init, 0):
            return init


def wildcards(x):
    match x:
        case [1, *_]:
            return 1
        case [*_, 2]:
            return 2
        case [3, *_, last]:
            return last
        case [_, *_, 4]:
            return 4
        case [_, _]:
            return 5
        case [*_]:
            return 6


def mappings(x):
    match x:
        case {"a": 1}:
            return 1
        case {"b": value, "c": [d, e]}:
            return value, d, e
        case {operator.mul: v}:
            return v
        case {1: _, **rest}:
            return rest
        case {**everything}:
            return everything


def empty_mapping(x):
    match x:
        case {}:
            return True
    return False


def classes(x):
    match x:
        case Point(0, 0):
            return "origin"
        case Point(x=0, y=value):
            return value
        case Point(a, y=b):
            return a, b
        case operator.attrgetter():
            return "getter"
        case int() | float():
            return "number"
        case str(text):
            return text
        case Point(_, 1):
            return "one"


def alternatives(x):
    match x:
        case 1 | 2 | 3:
            return "small"
        case [("a" | "b") as letter, 0]:
            return letter
        case (4 | 5) as number:
            return number
        case [a, b] | {"a": a, "b": b}:
            return a, b
        case [a, b, 1] | [b, a, 2] | [_, a, b, 3, _]:
            return a, b
        case "x" | "y" | None:
            print("rest")


def reorder(x):
    match x:
        case [a, b, c, 1] | [c, a, b, 2] | [b, c, a, 3] | [c, b, a, 4]:
            return a, b, c
        case {"p": p, "q": [q, r]} | [r, {"q": q}, p]:
            return p, q, r


def nested(x):
    match x:
        case [Point(x=0, y=[a, {"k": b}]), *rest] if a:
            return a, b, rest
        case {"outer": {"inner": [1, 2, *tail]}}:
            return tail
        case [[[deep]]]:
            return deep
        case [(1 | 2) as m, (3 | [4, _]) as o] if False:
            return m
        case {"x": (int() | str()) as v, "y": None}:
            return v


def names(x):
    match x:
        case [1, y] as whole:
            return whole, y
        case Point(x=(1 | 2 as px)) as p:
            return p, px
        case (a, b) as c:
            return a, b, c


def single_sequence(x):
    match x:
        case [a, b]:
            print(a, b)
    print("after")


def single_class(x):
    match x:
        case Point(x=a):
            print(a)
    return x


def single_or(x):
    match x:
        case 1 | 2:
            print("either")
    return x


def single_or_return(x):
    match x:
        case "a" | "b" | "c":
            return 1
    return 2


def single_as(x):
    match x:
        case 1 | 2 as y:
            print(y)


match operator.index(3):
    case 1:
        answer = 1
    case [p, q]:
        answer = p + q
    case found:
        answer = found
