"""Changed copies of code objects, on every host version."""

import sys
from types import CodeType
from typing import Any, Dict, List

# The arguments of CodeType, in order.
_FIELDS_3_7 = """
    argcount kwonlyargcount nlocals stacksize flags code consts names varnames filename name firstlineno lnotab freevars
    cellvars
"""


def replaced(code: CodeType, changes: Dict[str, Any]) -> CodeType:
    """`code.replace(**changes)`, which 3.7 does not have."""
    if sys.version_info >= (3, 8):
        return code.replace(**changes)
    names = ["co_" + name for name in _FIELDS_3_7.split()]
    fields: List[Any] = [changes.get(name, getattr(code, name)) for name in names]
    return CodeType(*fields)
