"""A file of the dump, before it is written."""

import ast
from typing import NamedTuple, Union


class Context(NamedTuple):
    """What the session knows about the compilation that an event belongs to."""

    function: str  # the compiled function, such as __compiled_fn_1
    origin: str  # the user's code: "file.py:4 in f"


class File(NamedTuple):
    """`name` has a %d where the first free number goes, or none where the name is unique by itself."""

    name: str
    content: Union[str, bytes]
    kind: str
    compile_id: str = ""
    title: str = ""


def header(what: str, compile_id: str, origin: str, then: str) -> str:
    """The comment on top of every Python file: what it is, where it comes from, where to read on."""
    lines = ["# " + what]
    if origin:
        lines.append("# From %s" % origin)
    if compile_id:
        lines.append("# Compile id %s" % compile_id)
    if then:
        lines.append("# Read on in %s" % then)
    return "\n".join(line.replace("\r", " ") for line in lines) + "\n\n"


def python_text(text: str) -> str:
    """`text` where Python can parse it, else the same as comments, so that every file of a dump parses."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return commented(text)
    return text


def commented(text: str) -> str:
    """Every line as a comment."""
    return "".join("# %s\n" % line if line else "#\n" for line in text.replace("\0", "\\0").splitlines())
