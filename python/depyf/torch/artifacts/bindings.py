"""Binds what a transformed code refers to, so that its text is a module of its own: globals of the frame, constants that
no literal can express, code objects that Dynamo makes functions of."""

import ast
import builtins
import dis
import inspect
import re
import sys
from types import CodeType, ModuleType
from typing import Any, Callable, Dict, Iterable, List

from depyf import _engine
from depyf.constants import describe, path_of
from depyf.torch import compat
from depyf.utils import collect_all_code_objects

_DYNAMOS = ("__import_", "__builtins_dict__", "___")  # names that Dynamo adds to the globals of a frame

_LONGEST_DICT = 20  # entries; annotations of a function, for example

_STAND_IN = '''def __constant(text):
    """Stands for an object that exists only while the program runs."""
    return type("Constant", (), {"__repr__": lambda self: text})()
'''


def identifier(name: str) -> str:
    """The nearest valid identifier: `<lambda>` becomes `_lambda_`."""
    result = re.sub(r"\W", "_", name)
    return "_" + result if result[:1].isdigit() else result or "_"


def of_globals(code: CodeType, variables: Dict[str, Any]) -> List[str]:
    """A line for each global that `code` loads: an import or, for what cannot be imported, a comment."""
    lines = []
    for name in _loaded(code):
        if name in variables or not hasattr(builtins, name):
            lines.append(_line(name, variables))
    return sorted(lines, key=lambda line: (line.startswith("#"), line))


def reachable(original: CodeType, transformed: CodeType, variables: Dict[str, Any]) -> Dict[str, str]:
    """Name -> import, for the globals of a frame that its codes and its guards may use and that can be imported."""
    names = dict.fromkeys(_loaded(original) + _loaded(transformed))
    names.update(dict.fromkeys(name for name in list(variables) if name.startswith(_DYNAMOS)))
    return importable(names, variables)


def importable(names: Iterable[str], variables: Dict[str, Any]) -> Dict[str, str]:
    """Name -> import, for those of the names whose values can be imported."""
    found = ((name, _import(name, variables[name], variables)) for name in names if name in variables)
    return {name: line for name, line in found if line}


def unbound(text: str) -> List[str]:
    """The names that a text reads and that neither it nor Python defines."""
    try:
        nodes = [node for node in ast.walk(ast.parse(text))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    names = [node for node in nodes if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    return sorted({node.id for node in names} - bound - set(dir(builtins)))


def _loaded(code: CodeType) -> List[str]:
    names: Dict[str, None] = {}
    for inner in collect_all_code_objects(code):
        for instruction in dis.get_instructions(inner):
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL"):
                names[instruction.argval] = None
    return [name for name in names if name != "__name__"]


def _line(name: str, variables: Dict[str, Any]) -> str:
    stable = compat.stable_name(name)
    if compat.COMPILED_FUNCTION.fullmatch(name):
        return "# %s: a compiled graph; its stages are the files %s.*" % (stable, stable)
    if name.startswith("__resume_at_"):
        return "# %s: a resume function; full_code_for_*.py shows where it goes on" % stable
    if name not in variables:
        return "# %s: not bound while Dynamo compiled" % stable
    return _import(name, variables[name], variables) or "# %s: %s of the running program" % (
        stable,
        _article(type(variables[name]).__name__),
    )


def _article(noun: str) -> str:
    return ("an " if noun[:1].lower() in "aeiou" else "a ") + noun


def _import(name: str, value: Any, variables: Dict[str, Any]) -> str:
    if isinstance(value, ModuleType) and sys.modules.get(value.__name__) is value:
        return "import %s" % name if value.__name__ == name else "import %s as %s" % (value.__name__, name)
    if value is vars(builtins):
        return "from builtins import __dict__ as %s" % name
    path = path_of(value)
    module = getattr(value, "__module__", None)
    if not path or module == "__main__":
        module = variables.get("__name__")
        found = sys.modules.get(module) if isinstance(module, str) and module != "__main__" else None
        if found is None or getattr(found, name, variables) is not value:
            return ""
        return "from %s import %s" % (module, name)
    outer, _, inner = value.__qualname__.partition(".")
    if inner:
        return "from %s import %s as __of_%s; %s = __of_%s.%s" % (module, outer, name, name, name, inner)
    return "from %s import %s" % (module, outer if outer == name else "%s as %s" % (outer, name))


def imports(constants: List[str], source: str) -> List[str]:
    """What the constants that no literal can express are found in: `import torch` for `torch.float32`."""
    found = set()
    for text in constants:
        path = re.match(r"[\w.]*", text)
        if path is None or "." not in path.group() or text not in source:
            continue
        parts = path.group().split(".")
        modules = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
        known = [module for module in modules if isinstance(sys.modules.get(module), ModuleType)]
        found.update(known[:1])
    return sorted("import %s" % module for module in found)


class Constants:
    """Names for the constants of one transformed code, and the text that binds those that need one."""

    def __init__(self) -> None:
        self.named: List[str] = []
        self._codes: Dict[int, str] = {}
        self._texts: Dict[str, str] = {}

    def describe(self, value: Any) -> str:
        """An expression for `value`; code objects are those of functions that `helpers` defines."""
        text = self._of_code(value) if isinstance(value, CodeType) else describe(value)
        if type(value) is dict and text.startswith("__constant(") and len(value) <= _LONGEST_DICT:
            text = "{%s}" % ", ".join("%s: %s" % (self._item(key), self._item(item)) for key, item in value.items())
        self.named.append(text)
        return text

    def _item(self, value: Any) -> str:
        plain = value is None or type(value) in (bool, int, str, bytes)
        return repr(value) if plain else self.describe(value)

    def helpers(self, source: str) -> str:
        """Definitions of what `source` uses, and of what those use."""
        used: List[str] = []
        pending = [source]
        for text in pending:
            for name in self._codes.values():
                if name not in used and re.search(r"\b%s\b" % name, text):
                    used.append(name)
                    pending.append(self._texts[name])
        texts = [self._texts[name] for name in reversed(used)]
        if any("__constant(" in text for text in pending):
            texts.insert(0, _STAND_IN)
        return "".join(text.rstrip("\n") + "\n\n\n" for text in texts)

    def _of_code(self, code: CodeType) -> str:
        name = self._codes.get(id(code))
        if name is None:
            stem = "__%s_at_%d" % (identifier(code.co_name).strip("_"), code.co_firstlineno)
            name, count = stem, 1
            while name in self._texts:
                count += 1
                name = "%s_%d" % (stem, count)
            self._codes[id(code)] = name
            self._texts[name] = ""
            self._texts[name] = _function(code, name, self.describe)
        return name if _is_body(code) else name + ".__code__"


def _function(code: CodeType, name: str, namer: Callable[[Any], str]) -> str:
    """A function called `name` whose code is that of the user's function, lambda, comprehension or class body."""
    where = "# The code of %s, %s:%d\n" % (code.co_name, code.co_filename, code.co_firstlineno)
    try:
        source = _engine.decompile(_engine.from_live(code, namer), False, False, True).source
    except Exception:
        source = ""
    source = re.sub(r"(?<![\w.)\]])\.0\b", "_0", source)  # the iterator that a comprehension is handed
    if source.startswith("lambda"):
        text = "%s = %s" % (name, source)
    elif re.match(r"(async )?def ", source):
        text = re.sub(r"def [^\s(]+", "def " + name, source, count=1)
    else:
        text = _body(code, name, source)
    if code.co_freevars and not _is_body(code):
        cells = ", ".join(code.co_freevars)
        inside = _indented(text.rstrip("\n") + "\nreturn %s\n" % name)
        nothing = ", ".join(["None"] * len(code.co_freevars))
        text = "def __closure_of%s(%s):\n%s\n\n%s = __closure_of%s(%s)\n" % (name, cells, inside, name, name, nothing)
    try:
        compile(text, "<dump>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        text = "def %s():\n    raise NotImplementedError(%r)\n" % (name, "not decompiled: %s" % code.co_name)
    return where + text


def _is_body(code: CodeType) -> bool:
    """Whether it is the code of a class statement's body."""
    return not code.co_flags & inspect.CO_OPTIMIZED


def _body(code: CodeType, name: str, source: str) -> str:
    """`name` becomes the code of a class body: the second constant of a function that holds the class statement."""
    own = re.compile(r"__(module__ = __name__|qualname__ = .*)\n")
    lines = "".join(line for line in source.splitlines(True) if not own.fullmatch(line)).lstrip("\n")
    head = "def __class_of%s(%s):\n    class %s:\n" % (name, ", ".join(code.co_freevars), identifier(code.co_name))
    body = _indented(_indented(lines or "pass\n")).rstrip("\n")
    return "%s%s\n\n\n%s = __class_of%s.__code__.co_consts[1]\n" % (head, body, name, name)


def _indented(text: str) -> str:
    return "".join("    " + line if line.strip() else line for line in text.splitlines(True))
