"""What a caller of the API may hand in, and the code object it leads to."""

import os
from types import CodeType, FunctionType, ModuleType
from typing import Any, Optional, Union

from depyf import _engine
from depyf.inputs import bytecode


def code_of(obj: Any, python: Optional[bytecode.Version] = None) -> Union[CodeType, _engine.Code]:
    """A live code object, or one read from bytes, which `python` names the version of where they do not.

    Raises TypeError where there is no code behind `obj`, OSError for a file that cannot be read and ValueError for
    bytes that are no .pyc and no marshalled code object.
    """
    if isinstance(obj, (CodeType, _engine.Code)):
        return obj
    if isinstance(obj, (bytes, bytearray, memoryview)):
        return bytecode.read(bytes(obj), python)
    if isinstance(obj, (str, os.PathLike)):
        return _from_path(obj, python)
    if isinstance(obj, ModuleType):
        return _from_module(obj)
    if hasattr(obj, "read"):
        data = obj.read()
        if not isinstance(data, bytes):
            raise TypeError("the stream must be opened in binary mode")
        return bytecode.read(data, python)
    return _from_callable(obj)


def is_module_code(code: CodeType) -> bool:
    """Whether the code is a module's body, printed without a `def` around it: no locals of its own, no arguments."""
    return not code.co_flags & 0x2 and code.co_name == "<module>"


def _from_path(path: Any, python: Optional[bytecode.Version]) -> _engine.Code:
    text = os.fspath(path)
    if isinstance(path, str) and not text.endswith((".pyc", ".pyo")):
        raise TypeError("a str must be the path of a .pyc file; got %r" % text[:80])
    with open(text, "rb") as stream:
        return bytecode.read(stream.read(), python)


def _from_module(module: ModuleType) -> Union[CodeType, _engine.Code]:
    """The module's own bytecode: from its loader, which reads the cached .pyc or compiles the source."""
    loader = getattr(getattr(module, "__spec__", None), "loader", None) or getattr(module, "__loader__", None)
    get_code = getattr(loader, "get_code", None)
    code = None if get_code is None else get_code(module.__name__)
    if isinstance(code, CodeType):
        return code
    raise TypeError("module %s has no Python bytecode" % module.__name__)


def _from_callable(obj: Any) -> CodeType:
    current = obj
    for _ in range(100):  # layers of wrappers
        for attribute in ("__code__", "gi_code", "cr_code", "ag_code"):
            code = getattr(current, attribute, None)
            if isinstance(code, CodeType):
                return code
        current = _wrapped(current)
        if current is None:
            break
    raise TypeError("%s has no Python bytecode" % type(obj).__name__)


def _wrapped(obj: Any) -> Any:
    """What a method, a partial, a property, a decorated or a callable object leads to; None where it is none of these."""
    for attribute in ("__func__", "func", "fget", "__wrapped__"):
        inner = getattr(obj, attribute, None)
        if inner is not None:
            return inner
    call = getattr(type(obj), "__call__", None)  # noqa: B004
    return call if isinstance(call, FunctionType) else None
