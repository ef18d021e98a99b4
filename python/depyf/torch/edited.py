"""Under debug(), dumped files that the user has changed run as they now stand: `breakpoint()` and `print` work in them.

Nothing here takes part in prepare_debug; what is exchanged is put back when debug() ends.
"""

import ast
import os
from types import CodeType, FunctionType
from typing import Any, Callable, Dict, List, Tuple

from depyf import _engine
from depyf.decompiler import compile_tree
from depyf.torch import compat, relink
from depyf.torch.artifacts.bindings import Constants
from depyf.torch.collect import Frame
from depyf.utils import collect_all_code_objects

Undo = Callable[[], None]


def run_changed_files(session: Any, say: Callable[[str], None]) -> List[Undo]:
    """Puts the text of every changed file of the session's dump in the place of what was compiled."""
    undo: List[Undo] = []
    for path, old, new in session.dump.changed():
        name = os.path.basename(path)
        try:
            found = _exchange(session, path, old, new)
        except Exception as error:
            say("%s has been changed, but does not run that way: %s" % (name, error))
            continue
        undo += found
        say("%s runs as it has been changed" % name if found else "%s has been changed; nothing runs from it" % name)
    return undo


def _exchange(session: Any, path: str, old: str, new: str) -> List[Undo]:
    frames = [frame for frame in session.frames.all if session.dump.path(frame.name + ".py") == path]
    if frames:
        return _frame(session, frames[0], path, new)
    return _graphs(path, old, new) or _functions(path, new)


# ------------------------------------------------------------------ Dynamo's code


def _frame(session: Any, frame: Frame, path: str, text: str) -> List[Undo]:
    code = _compiled(frame, path, text)
    entries = compat.cache_entries(frame.original)
    codes = [session.changed_codes.get(id(entry.code), entry.code) for entry in entries]
    for index, entry in enumerate(entries):
        if session.frames.of(entry.code) is frame:
            codes[index] = session.changed_codes[id(entry.code)] = code
            compat.run_instead(frame.original, list(zip(entries, codes)))
            return [session.changed_codes.clear, lambda: compat.run_as_compiled(frame.original)]
    return []


def _compiled(frame: Frame, path: str, text: str) -> CodeType:
    """The function in the file, taking arguments and cells as Dynamo's code does."""
    function = next(
        node
        for node in ast.walk(ast.parse(text, path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == frame.name
    )
    constants = _Described()
    _engine.from_live(frame.transformed, constants.describe)
    names = {compat.stable_name(name): name for code in _all(frame.transformed) for name in code.co_names}
    marks = _Marks(constants.values, {stable: name for stable, name in names.items() if stable != name})
    tree = ast.Module(body=[marks.visit(function)], type_ignores=[])
    return compile_tree(tree, frame.original, path, frame.original.co_name, marks.used)


def _all(code: CodeType) -> List[CodeType]:
    return collect_all_code_objects(code)


class _Described(Constants):
    """The constants of a code under the expressions that its dumped text has for them."""

    def __init__(self) -> None:
        super().__init__()
        self.values: Dict[str, Any] = {}

    def describe(self, value: Any) -> str:
        text = super().describe(value)
        if not text.isidentifier() or text.startswith("__"):
            self.values[ast.dump(ast.parse(text, mode="eval").body)] = value
        return text


class _Marks(ast.NodeTransformer):
    """Turns the expressions of constants into names that compile_tree exchanges for the objects, and restores the names
    of graphs."""

    def __init__(self, values: Dict[str, Any], names: Dict[str, str]) -> None:
        self._values = values
        self._names = names
        self.used: Dict[str, Any] = {}

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, (ast.Attribute, ast.Call, ast.Dict, ast.Name)):
            key = ast.dump(node)
            if key in self._values:
                name = "__depyf_constant_%d__" % len(self.used)
                self.used[name] = self._values[key]
                return ast.copy_location(ast.Name(id=name, ctx=ast.Load()), node)
        if isinstance(node, ast.Name):
            node.id = self._names.get(node.id, node.id)
        return self.generic_visit(node)


# ------------------------------------------------------------- graphs and kernels


def _graphs(path: str, old: str, new: str) -> List[Undo]:
    pairs = []
    for module in compat.live_graphs():
        function, source = compat.graph_function(module)
        if function is not None and function.__code__.co_filename == path:
            pairs.append((function, relink.edited_graph(source, old, new, path)))
    return [_set(function, code) for function, code in pairs]


def _functions(path: str, text: str) -> List[Undo]:
    """Functions of Inductor's modules."""
    codes: Dict[Tuple[str, Tuple[str, ...]], CodeType] = {}
    for code in collect_all_code_objects(compile(text, path, "exec", dont_inherit=True))[1:]:
        codes[getattr(code, "co_qualname", code.co_name), code.co_freevars] = code
    undo: List[Undo] = []
    for module in compat.inductor_modules():
        for function in compat.module_functions(module):
            current = function.__code__
            found = codes.get((getattr(current, "co_qualname", current.co_name), current.co_freevars))
            if current.co_filename == path and found is not None:
                undo.append(_set(function, found))
    return undo


def _set(function: FunctionType, code: CodeType) -> Undo:
    before = function.__code__
    function.__code__ = code
    return lambda: setattr(function, "__code__", before)
