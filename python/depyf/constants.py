"""How a constant that no literal can express is written in decompiled source."""

import enum
import sys
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
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
        return "%s.%s" % (path_of(type(value)), value.name)
    if isinstance(value, (type, FunctionType, BuiltinFunctionType)):
        return path_of(value)
    if isinstance(value, MethodType) and isinstance(value.__self__, type):
        owner = path_of(value.__self__)
        return "%s.%s" % (owner, value.__name__) if owner else ""
    if isinstance(value, dict):
        return _globals_of_module(value)
    if type(value).__module__.split(".")[0] == "torch":
        return _torch_value(value)
    return ""


def path_of(value: Any) -> str:
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


def _globals_of_module(value: Any) -> str:
    name = value.get("__name__")
    module = sys.modules.get(name) if isinstance(name, str) else None
    return "%s.__dict__" % name if module is not None and vars(module) is value else ""


def _torch_value(value: Any) -> str:
    kind = type(value).__name__
    if kind in ("dtype", "layout", "memory_format", "Size", "qscheme"):
        return repr(value)
    if kind == "device":
        return 'torch.device("%s")' % value
    return ""


def _unnamed(value: Any) -> str:
    text = "a dict of %d entries" % len(value) if isinstance(value, dict) and len(value) > 9 else repr(value)
    return "__constant(%r)" % (text if len(text) <= 200 else text[:197] + "...")
