"""How a constant that no literal can express is written in decompiled source."""

import enum
import sys
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any


def describe(value: Any) -> str:
    """A Python expression that names `value`, such as ``torch.float32``, ``int`` or ``torch.device("cpu")``.

    Never raises and never runs code of `value` other than its `repr`. What has no name at all becomes
    ``__constant("text")``, which reads as what it is and does not pretend to be code.
    """
    try:
        return _named(value) or _unnamed(value)
    except Exception:
        return "__constant(%r)" % type(value).__name__


def _named(value: Any) -> str:
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, enum.Enum):
        return "%s.%s" % (_path(type(value)), value.name)
    if isinstance(value, (type, FunctionType, BuiltinFunctionType)):
        return _path(value)
    if type(value).__module__.split(".")[0] == "torch":
        return _torch_value(value)
    return ""


def _path(value: Any) -> str:
    """`module.qualname` where that leads back to the very object, else nothing."""
    module, qualname = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
    if module is None or "<" in qualname:
        return ""
    found: Any = sys.modules.get(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    if found is not value:
        return ""
    return qualname if module == "builtins" else "%s.%s" % (module, qualname)


def _torch_value(value: Any) -> str:
    kind = type(value).__name__
    if kind in ("dtype", "layout", "memory_format", "Size", "qscheme"):
        return repr(value)
    if kind == "device":
        return 'torch.device("%s")' % value
    return ""


def _unnamed(value: Any) -> str:
    text = repr(value)
    return "__constant(%r)" % (text if len(text) <= 200 else text[:197] + "...")
