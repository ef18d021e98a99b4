# versions: 3.7-
"""Up to 3.11 a replacement field holds no quote of the string around it, and no backslash."""


def f(x, d, name):
    f'{"x"}'
    f"""{"eric's"}"""
    f'''{"xeric's"}'''
    f"""{'''a'b"c'''}"""
    f'''{"""
"""}'''
    f"""{f'{"x"}'}"""
    f"it's {d['a']}"
    f"it's \"{d['a']}"
    f'{x!r:>{10}} \n {"a" + "b"}'
    f'{b"x"}{x["a"](lambda: "q")}'
    return f"""{f'''{f'{f"{1+1}"}'}'''}"""


def no_docstring():
    f"no docstring"
