# versions: 3.8-
"""Finally bodies that go on with the loop."""


if case_1:
    while True:
        try:
            a
        finally:
            if a:
                continue
