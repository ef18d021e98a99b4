"""Decompile an object, and compile the result back into a code object that can stand in for another."""

import ast
import os
import warnings
from types import CodeType
from typing import Any, Dict, List, Optional, Set, Tuple

from depyf import _engine
from depyf.code_object import replaced
from depyf.constants import describe
from depyf.decompilation import Decompilation
from depyf.inputs import code_of, is_module_code
from depyf.inputs.bytecode import Version
from depyf.unspelled import shortened


class DecompilationError(Exception):
    """No source could be made for the code object asked for."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return "DecompilationError: %s" % self.message


def decompilation(
    obj: Any,
    verify: bool = True,
    python: Optional[Version] = None,
    align_lines: bool = False,
    max_depth: int = 0,
    max_size: int = 0,
    max_seconds: float = 0,
) -> Decompilation:
    """Source, line map, verdicts and diagnostics of `obj`; `depyf.decompile` tells what `obj` and the options are.

    Functions that could not be decompiled are stubs in `source` and are listed in `diagnostics`.
    Raises TypeError for an object without code, OSError or ValueError for an unreadable file.
    """
    code = code_of(obj, python)
    as_module = not isinstance(code, CodeType) or is_module_code(code)
    read = _engine.from_live(code, describe) if isinstance(code, CodeType) else code
    return Decompilation(
        _engine.decompile(read, as_module, verify, False, align_lines, max_depth, max_size, max_seconds)
    )


def decompile(obj: Any, **options: Any) -> str:
    """Python source for `obj`.

    `obj` is a function, method, class, module, code object, generator or coroutine; the bytes of a .pyc file or of a
    marshalled code object; the path of a .pyc file (a str that ends in ".pyc", or any os.PathLike); or a binary stream.
    For a function the result is its `def` statement, for a module its text.

    Options, as keywords:
        python       (3, 8): the version that bytes are of, whatever their header says
        align_lines  every statement on its original line
        verify       False: no proof
        max_depth, max_size, max_seconds
                     nesting of code objects, bytes of instructions in one of them, time for all; 0: the default
                     (1000, any, any). What is over a limit becomes a stub.

    Raises DecompilationError where the outermost code object has no source; a nested function that fails becomes a stub.
    """
    result = decompilation(obj, **options)
    if result.codes and result.codes[0].verdict == "failed":
        raise DecompilationError(_first_message(result))
    return result.source


def to_ast(obj: Any, **options: Any) -> ast.Module:
    """`ast.parse` of what `decompile` returns for the same arguments."""
    tree: ast.Module = ast.parse(decompile(obj, **options))
    return tree


def _first_message(result: Any) -> str:
    for qualname, offset, message in result.diagnostics:
        return "%s, offset %d: %s" % (qualname, offset, message)
    return "no source was made"


class Decompiler:
    """The source of one function or code object, and what it compiles back to."""

    def __init__(self, code: Any) -> None:
        found = code_of(code)
        if not isinstance(found, CodeType):
            raise TypeError("Decompiler needs a live code object; use depyf.decompile for files and bytes")
        self.code: CodeType = found

    def decompile(
        self, indentation: int = 4, temp_prefix: str = "__temp_", overwite_fn_name: Optional[str] = None
    ) -> str:
        """The `def` statement of the code object, named `overwite_fn_name` where that is given.

        `temp_prefix` is accepted for compatibility; no temporaries are needed.
        """
        source = decompile(self.code)
        if overwite_fn_name is not None:
            source = _renamed(source, overwite_fn_name)
        return source if indentation == 4 else _reindented(source, indentation)

    @staticmethod
    def decompile_and_compile_like(
        code_to_decompile: CodeType,
        reference_code: CodeType,
        indentation: int = 4,
        temp_prefix: str = "__temp_",
        filepath_template: Optional[str] = None,
    ) -> CodeType:
        """Decompiles `code_to_decompile` and compiles the text into a code object that can replace `reference_code`:
        same arguments, and cell and free variables in the same order.

        With `filepath_template` (such as "dir/name_%d.py") the text is also written to the first such file that does
        not exist yet, and the code object points there.
        Raises DecompilationError, or SyntaxError where the text does not compile.
        """
        return compile_like(code_to_decompile, reference_code, filepath_template)

    @staticmethod
    def supported_opnames() -> List[str]:
        """Names of the opcodes of this interpreter: the engine's tables cover all of them."""
        import dis

        return [name for name in dis.opname if not name.startswith("<")]

    def __hash__(self) -> int:
        return id(self.code)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Decompiler) and self.code is other.code


def _renamed(source: str, name: str) -> str:
    """The first `def` (or `async def`) of the text under another name."""
    lines = source.split("\n")
    for index, line in enumerate(lines):
        head, keyword, rest = line.partition("def ")
        if keyword and head.strip() in ("", "async"):
            lines[index] = head + keyword + name + rest[rest.index("(") :] if "(" in rest else line
            break
    return "\n".join(lines)


def _reindented(source: str, indentation: int) -> str:
    """Other widths through the syntax tree, so that text inside string literals is left alone."""
    import tokenize
    from io import StringIO

    inside: Set[int] = set()
    for token in tokenize.generate_tokens(StringIO(source).readline):
        inside.update(range(token.start[0] + 1, token.end[0] + 1))
    result = []
    for number, line in enumerate(source.split("\n"), 1):
        body = line.lstrip(" ")
        width = len(line) - len(body)
        result.append(line if number in inside or width % 4 else " " * (width // 4 * indentation) + body)
    return "\n".join(result)


_MARK = "__depyf_constant_%d__"


class _Constants:
    """Gives every constant that no literal can express a name that is bound to that very object."""

    def __init__(self) -> None:
        self.values: Dict[str, Any] = {}

    def describe(self, value: Any) -> str:
        name = _MARK % len(self.values)
        self.values[name] = value
        return name


class _Rewrite(ast.NodeTransformer):
    """Renames variables, and turns the names of opaque constants into marked strings that `_restored` exchanges."""

    def __init__(self, renames: Dict[str, str], constants: Dict[str, Any]) -> None:
        self.renames = renames
        self.constants = constants

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.constants:
            return ast.copy_location(ast.Constant(value=node.id, kind=None), node)
        node.id = self.renames.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self.renames.get(node.arg, node.arg)
        self.generic_visit(node)
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        node.names = [self.renames.get(name, name) for name in node.names]
        return node

    def visit_FunctionDef(self, node: Any) -> ast.AST:
        node.name = self.renames.get(node.name, node.name)
        self.generic_visit(node)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef
    visit_ClassDef = visit_FunctionDef

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        if node.name:
            node.name = self.renames.get(node.name, node.name)
        self.generic_visit(node)
        return node

    def visit_alias(self, node: ast.alias) -> ast.AST:
        bound = node.asname or node.name
        if bound in self.renames:
            node.asname = self.renames[bound]
        return node


def _ordered(reference: CodeType) -> Dict[str, str]:
    """Names under which the compiler, which sorts cells and free variables by name, keeps the reference's order."""
    renames = {}
    for group in (reference.co_cellvars, reference.co_freevars):
        for index, name in enumerate(group):
            renames[name] = "__cell_%04d_%s" % (index, name.strip("_"))
    return renames


_PLACE = "__depyf_function__"


def compile_like(
    code: CodeType, reference: CodeType, filepath_template: Optional[str] = None, readable: bool = False
) -> CodeType:
    """See Decompiler.decompile_and_compile_like. `readable`: from the text that dumps show, not from the exact one."""
    constants = _Constants()
    result = _engine.decompile(_engine.from_live(code, constants.describe), False, False, readable)
    if not result.codes or result.codes[0][1] == "failed":
        raise DecompilationError(_first_message(result))
    filename, name = _file_for(code, reference, filepath_template)
    tree = ast.parse(_renamed(result.source, _PLACE))
    return compile_tree(tree, reference, filename, name, constants.values)


def compile_tree(
    tree: ast.Module, reference: CodeType, filename: str, name: str, constants: Dict[str, Any]
) -> CodeType:
    """The code of the first function in `tree` under `name`, with the cells and free variables of `reference` in their
    order and, in the place of the names in `constants`, the objects."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.name = _PLACE
            break
    renames = _ordered(reference)
    tree = _enclosed(_Rewrite(renames, constants).visit(tree), reference, renames)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a marked string that is called or subscripted draws SyntaxWarnings
        module = compile(ast.fix_missing_locations(tree), filename, "exec", dont_inherit=True)
    back = shortened(_find(module, _PLACE))
    return _restored(back, {new: old for old, new in renames.items()}, constants, name)


def _enclosed(tree: ast.Module, reference: CodeType, renames: Dict[str, str]) -> ast.Module:
    """Puts the function into one that owns its free variables, and makes sure that every cell is one."""
    found = [_as_function(node) for node in tree.body]
    found = [node for node in found if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    tree.body[:] = found
    if not found:
        raise DecompilationError("the source of %s is no function definition" % reference.co_name)
    function: Any = found[0]
    cells = [renames[name] for name in reference.co_cellvars]
    free = [renames[name] for name in reference.co_freevars]
    extra: List[ast.stmt] = []
    if free:
        extra.append(ast.Nonlocal(names=free))
        function.body = [node for node in function.body if not _declares(node, free)] or [ast.Pass()]
    if cells:
        # Never runs and leaves no instruction; the compiler still sees the names in an inner scope.
        touch = ast.parse("if 0:\n    lambda: (%s,)" % ", ".join(cells)).body
        extra += touch
        bound = {
            node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        bound |= {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
        extra += [ast.parse("if 0:\n    %s = None" % cell).body[0] for cell in cells if cell not in bound]
    function.body = extra + function.body
    if not free:
        return tree
    outer: Any = ast.parse("def __depyf_outer__(%s):\n    pass" % ", ".join(free))
    outer.body[0].body = tree.body
    return outer


def _as_function(node: ast.stmt) -> ast.stmt:
    """A lambda on its own, as the function that it is."""
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Lambda)):
        return node
    function: Any = ast.parse("def %s():\n    pass" % _PLACE).body[0]
    function.args = node.value.args
    function.body = [ast.Return(value=node.value.body)]
    return function


def _declares(node: ast.stmt, free: List[str]) -> bool:
    if not isinstance(node, ast.Nonlocal):
        return False
    node.names = [name for name in node.names if name not in free]
    return not node.names


def _find(module: CodeType, name: str) -> CodeType:
    stack = [module]
    while stack:
        code = stack.pop()
        if code.co_name == name:
            return code
        stack += [value for value in code.co_consts if isinstance(value, CodeType)]
    raise DecompilationError("the text defines no function")


def _restored(code: CodeType, names: Dict[str, str], constants: Dict[str, Any], name: Optional[str]) -> CodeType:
    """Undoes the renaming, and puts the real objects in the place of their marks."""

    def original(group: Tuple[str, ...]) -> Tuple[str, ...]:
        return tuple(names.get(entry, entry) for entry in group)

    changes: Dict[str, Any] = {
        "co_varnames": original(code.co_varnames),
        "co_cellvars": original(code.co_cellvars),
        "co_freevars": original(code.co_freevars),
        "co_names": original(code.co_names),
        "co_consts": tuple(_constant(value, names, constants) for value in code.co_consts),
    }
    if name is not None:
        changes["co_name"] = name
    if hasattr(code, "co_qualname"):
        changes["co_qualname"] = code.co_qualname.replace("__depyf_outer__.<locals>.", "").replace(
            _PLACE, name or code.co_name
        )
    return replaced(code, changes)


def _constant(value: Any, names: Dict[str, str], constants: Dict[str, Any]) -> Any:
    if isinstance(value, CodeType):
        return _restored(value, names, constants, None)
    if type(value) is str and value in constants:
        return constants[value]
    if type(value) in (tuple, frozenset):
        return type(value)(_constant(item, names, constants) for item in value)
    return value


def _file_for(code: CodeType, reference: CodeType, template: Optional[str]) -> Tuple[str, str]:
    """Where the code object shall say it comes from, and its name."""
    if template is None:
        return "noname", reference.co_name
    count = 0
    while os.path.exists(template % count):
        count += 1
    path = template % count
    name = os.path.splitext(os.path.basename(path))[0]
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as stream:
        stream.write(_renamed(decompile(code), name))
    return path, name
