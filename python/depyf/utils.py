"""Small functions on code objects, kept under the names by which users of depyf know them."""

import os
from types import CodeType
from typing import Any, List, Optional

from depyf.decompiler import DecompilationError, Decompiler


def get_function_signature(code_obj: CodeType, overwite_fn_name: Optional[str] = None) -> str:
    """The first line of the `def` statement, with its newline: ``def f(a, *args):``."""
    count = code_obj.co_argcount
    names = list(code_obj.co_varnames)
    parts = names[:count]
    if getattr(code_obj, "co_posonlyargcount", 0):
        parts.insert(code_obj.co_posonlyargcount, "/")
    keyword_only = names[count : count + code_obj.co_kwonlyargcount]
    rest = names[count + code_obj.co_kwonlyargcount :]
    if code_obj.co_flags & 0x4:
        parts.append("*" + rest.pop(0))
    elif keyword_only:
        parts.append("*")
    parts += keyword_only
    if code_obj.co_flags & 0x8:
        parts.append("**" + rest.pop(0))
    return "def %s(%s):\n" % (overwite_fn_name or code_obj.co_name, ", ".join(parts))


def collect_all_code_objects(code: CodeType) -> List[CodeType]:
    """`code` and every code object inside it, outermost first."""
    found = [code]
    for value in found:
        found += [inner for inner in value.co_consts if isinstance(inner, CodeType)]
    return found


def safe_create_directory(path: str) -> None:
    """Makes the folder and its parents where they do not exist; another process may do the same meanwhile."""
    os.makedirs(path, exist_ok=True)


def get_code_owner(fn: Any) -> Any:
    """The object whose `__code__` can be assigned: behind bound methods and wrappers, the function itself."""
    while True:
        for attribute in ("__func__", "__wrapped__"):
            if hasattr(fn, attribute):
                fn = getattr(fn, attribute)
                break
        else:
            return fn


def decompile_ensure(fn: Any, overwite_fn_name: Optional[str] = None) -> str:
    """Like Decompiler(fn).decompile(), but text that says why where there is no source."""
    try:
        return Decompiler(fn).decompile(overwite_fn_name=overwite_fn_name)
    except (DecompilationError, SyntaxError) as error:
        code = getattr(fn, "__code__", fn)
        return "%s    'Failed to decompile: %s'\n" % (
            get_function_signature(code, overwite_fn_name),
            str(error).replace("\\", "\\\\").replace("'", "\\'").replace("\n", " "),
        )
