"""full_code_for_f: the original, and for each compiled entry its guards, its graph and its code, in the order in which
Dynamo tries them, as one file that reads as what really runs."""

import inspect
import re
import textwrap
from types import CodeType
from typing import Callable, Dict, List, NamedTuple, Optional

from depyf.torch.artifacts import bindings, guards
from depyf.torch.artifacts.file import header, python_text
from depyf.torch.artifacts.transformed import identifier
from depyf.utils import get_function_signature


class Entry(NamedTuple):
    """One compiled version of a frame."""

    name: str  # of the transformed code
    compile_id: str
    function: str  # text of its `def`
    guards: str  # torch's text
    graph_name: str  # __compiled_fn_n, "" where the entry calls none
    graph: str  # readable text of the captured graph, "" where there is none
    imports: Dict[str, str]  # global name -> the import that binds it
    resumes: Dict[str, CodeType]  # names that it binds to resume functions


_MAKE_GRAPH = '''def __graph(kind):
    """A graph, with the graphs inside it, such as the branches of torch.cond."""
    graph = kind()
    graph.meta = {}
    for name, value in vars(kind).items():
        if isinstance(value, type):
            vars(graph)[name] = __graph(value)  # hides the class of the same name
    return graph
'''

Lookup = Callable[[CodeType], List[Entry]]
Decompile = Callable[[CodeType, str], str]

_IMPORTS = """from __future__ import annotations

import math  # noqa: F401
import types  # noqa: F401

import torch
import torch.utils._device as utils_device
from torch import device, inf, nan  # noqa: F401
"""

_WITH_CELLS = '''def __with_cells(factory, cells):
    """The function that `factory` makes, with these cells by name in the place of its own."""
    function = factory(*cells)
    closure = tuple(cells[name] for name in function.__code__.co_freevars)
    return types.FunctionType(function.__code__, globals(), function.__name__, None, closure)
'''


def render(code: CodeType, lookup: Lookup, decompile: Decompile) -> str:
    """The text for a function's original code object. `lookup` gives the entries of a code object."""
    return _Page(lookup, decompile).text(code)


class _Page:
    def __init__(self, lookup: Lookup, decompile: Decompile) -> None:
        self._lookup = lookup
        self._decompile = decompile
        self._bound: Dict[str, str] = {}
        self._sections: List[str] = []
        self._graphs: List[str] = []

    def text(self, code: CodeType) -> str:
        name = identifier(code.co_name)
        self._function(code, "compiled_" + name, name)
        origin = "%s:%d in %s" % (code.co_filename, code.co_firstlineno, code.co_name)
        above = header("All that runs when %s is called, from top to bottom" % code.co_name, "", origin, "index.md")
        body = "\n\n".join(self._sections)
        words = set(re.findall(r"\w+", body))
        imports = sorted({line for name, line in self._bound.items() if name in words and name != "torch"})
        paths = [
            path for path in set(re.findall(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+)+", body)) if not path.startswith("torch.")
        ]
        imports += [line for line in bindings.imports(paths, body) if line not in imports]
        if "__with_cells(" in body:
            body = _WITH_CELLS + "\n\n" + body
        if "= __graph(" in body:
            body = _MAKE_GRAPH + "\n\n" + body
        return above + _IMPORTS + "".join(line + "\n" for line in imports) + "\n\n" + body

    def _function(self, start: CodeType, dispatcher: str, original: str) -> None:
        """The function and, behind it, the resume functions that it leads to; a worklist, as chains may be long."""
        pending = [(start, dispatcher, original)]
        seen = set()
        while pending:
            code, dispatch_name, original_name = pending.pop(0)
            if dispatch_name in seen:
                continue
            seen.add(dispatch_name)
            entries = self._lookup(code)
            self._title("%s: the original code" % code.co_name)
            self._sections.append(self._original(code, original_name))
            self._title("%s: which entry runs" % code.co_name)
            dispatcher = _dispatcher(code, dispatch_name, original_name, entries)
            if original_name == identifier(code.co_name) and not code.co_freevars:
                # Written in the user's text, not in the code object.
                for defaults in ("__defaults__", "__kwdefaults__"):
                    dispatcher += "%s.%s = %s.%s\n" % (dispatch_name, defaults, original_name, defaults)
            self._sections.append(dispatcher)
            for number, entry in enumerate(entries):
                self._entry(code, number, entry)
                for name, resume in entry.resumes.items():
                    pending.append((resume, name, "original_of" + name))

    def _title(self, text: str) -> None:
        self._sections.append("# %s\n# %s\n" % ("=" * 100, text))

    def _original(self, code: CodeType, name: str) -> str:
        text = user_source(code)
        if text is None or name != identifier(code.co_name):
            return python_text(self._decompile(code, name))
        if not code.co_freevars:
            return text
        head = "def __closure_of_%s(%s):\n" % (name, ", ".join(code.co_freevars))
        inside = "".join("    " + line if line.strip() else line for line in text.splitlines(True))
        return python_text("%s%s\n    return %s\n" % (head, inside.rstrip("\n"), name))

    def _entry(self, code: CodeType, number: int, entry: Entry) -> None:
        compile_id = ", compile id %s" % entry.compile_id if entry.compile_id else ""
        self._title("%s: compiled entry %d%s" % (code.co_name, number, compile_id))
        self._bound.update(entry.imports)
        self._sections.append(python_text(guards.function(guard_name(entry.name), guards.parse(entry.guards))))
        self._sections.append(entry.function)
        if entry.graph_name and entry.graph_name not in self._graphs:
            self._graphs.append(entry.graph_name)
            self._sections.append(_graph(entry))


def guard_name(transformed: str) -> str:
    """The name of the guard function of a transformed code."""
    return transformed.replace("__transformed_code_", "__guard_", 1)


def user_source(code: CodeType) -> Optional[str]:
    """The user's own text of a function, without decorators; None where it is not a `def` or cannot be read."""
    try:
        lines, _ = inspect.getsourcelines(code)
    except (OSError, TypeError, IndexError, SyntaxError):
        return None
    while lines and not lines[0].lstrip().startswith(("def ", "async def ")):
        lines.pop(0)
    text = textwrap.dedent("".join(lines))
    return text if text and python_text(text) is text and _defines(text, code) else None


def _defines(text: str, code: CodeType) -> bool:
    return text.split("(")[0].split()[-1:] == [code.co_name]


def _dispatcher(code: CodeType, name: str, original: str, entries: List[Entry]) -> str:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x4) + bool(code.co_flags & 0x8)
    arguments = code.co_varnames[:count]
    passed = ", ".join(_passed(code))
    called = "__with_cells(__closure_of_%s, cells)" if code.co_freevars else "%s"
    inside = "call" if code.co_freevars else name
    lines = [get_function_signature(code, inside).rstrip("\n")]
    lines.append("    L = {%s}" % ", ".join('"%s": %s' % (argument, argument) for argument in arguments))
    if code.co_freevars:
        lines.append(
            "    L.update((name, cell.cell_contents) for name, cell in cells.items() if cell != types.CellType())"
        )
    lines.append("    G = globals()")
    for entry in entries:
        lines.append("    if %s(L, G):" % guard_name(entry.name))
        lines.append("        return %s(%s)" % (called % entry.name, passed))
    lines.append("    # No entry fits: Dynamo compiles another one, or runs the original.")
    lines.append("    return %s(%s)" % (called % original, passed))
    if code.co_freevars:
        head = ["def %s(closure):" % name]
        head.append("    cells = dict(zip(%r, closure))" % (code.co_freevars,))
        lines = head + [""] + ["    " + line for line in lines] + ["", "    return call"]
    return python_text("\n".join(lines) + "\n")


def _passed(code: CodeType) -> List[str]:
    positional = list(code.co_varnames[: code.co_argcount])
    keywords = list(code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])
    rest = list(code.co_varnames[code.co_argcount + code.co_kwonlyargcount :])
    result = positional
    if code.co_flags & 0x4:
        result.append("*" + rest.pop(0))
    result += ["%s=%s" % (name, name) for name in keywords]
    if code.co_flags & 0x8:
        result.append("**" + rest.pop(0))
    return result


def _graph(entry: Entry) -> str:
    """The captured graph as a callable of the name by which the transformed code calls it."""
    if not entry.graph:
        return "# %s: see the files that start with that name.\n" % entry.graph_name
    text = python_text(entry.graph)
    if "class GraphModule(" not in text or text.startswith("#"):
        return text
    inner = "class Graph_of" + entry.graph_name
    text = text.replace("class GraphModule(", inner + "(", 1)
    return "%s\n\n%s = __graph(Graph_of%s)\n" % (text.rstrip("\n"), entry.graph_name, entry.graph_name)
