"""depyf: decompile CPython 3.7 - 3.15 bytecode, and open up torch.compile.

    depyf.decompile(function_or_code)      source text
    depyf.decompile("module.pyc")          any supported version's bytecode, without running it
    depyf.prepare_debug(folder)            everything that torch.compile did, as files
    depyf.debug()                          pause, and set breakpoints in those files

Torch is imported only when something of the second kind is asked for.
"""

from typing import TYPE_CHECKING, Any, List

from depyf._engine import Decompilation
from depyf.decompiler import DecompilationError, Decompiler, decompilation, decompile
from depyf.version import __version__

if TYPE_CHECKING:
    from depyf.torch.log import install, uninstall
    from depyf.torch.session import debug, prepare_debug

__all__ = [
    "Decompilation",
    "DecompilationError",
    "Decompiler",
    "__version__",
    "debug",
    "decompilation",
    "decompile",
    "install",
    "prepare_debug",
    "uninstall",
]

_TORCH_API = {
    "debug": "depyf.torch.session",
    "install": "depyf.torch.log",
    "prepare_debug": "depyf.torch.session",
    "uninstall": "depyf.torch.log",
}


def __getattr__(name: str) -> Any:
    """The torch layer, on first use."""
    module = _TORCH_API.get(name)
    if module is None:
        raise AttributeError("module 'depyf' has no attribute %r" % name)
    import importlib

    return getattr(importlib.import_module(module), name)


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(__all__))
