# versions: 3.7-
def for_else(xs):
    for x in xs:
        if x > 3:
            break
        print(x)
    else:
        print("none")
    return xs


def nested_break(rows):
    for row in rows:
        for cell in row:
            if cell:
                break
        else:
            continue
        print(row)
        break


def returns_from_inner(table):
    for name, items in table:
        for item in items:
            if item == name:
                return item
    return None


def while_else(n):
    while n > 0:
        n -= 1
        if n == 5:
            break
    else:
        n = -1
    return n


def forever(f):
    while True:
        x = f()
        if not x:
            break
        if x == 1:
            continue
        print(x)


def test_in_the_middle(a, b):
    while a and (b or a > 3):
        a = b
        if a is None:
            continue
        b = a


def tuple_targets(pairs):
    for i, (a, *b) in enumerate(pairs):
        pairs[i], a = a, b
