# versions: 3.7-
"""What is no assert: up to 3.8 the compiler spells both alike, but for `is not` and `not in`."""


def raises(a, b):
    if not iter(a) is a:
        raise AssertionError
    if not a == a:
        raise AssertionError
    if a:
        raise AssertionError
    if a in b:
        raise AssertionError
    assert a not in b, "text"
