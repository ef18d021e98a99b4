"""depyf: decompile CPython 3.7 - 3.15 bytecode, and open up torch.compile.

    depyf.decompile(function_or_code)      source text
    depyf.decompile("module.pyc")          any supported version's bytecode, without running it
    depyf.decompilation(...)               the same with line map, verdicts and diagnostics; depyf.to_ast(...) as a tree
    depyf.prepare_debug(folder)            everything that torch.compile did, as files
    depyf.debug()                          pause, and set breakpoints in those files

Torch is imported only when something of the second kind is asked for.
"""

from typing import TYPE_CHECKING, Any, List

from depyf.decompilation import Decompilation
from depyf.decompiler import DecompilationError, Decompiler, decompilation, decompile, to_ast
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
    "load_ipython_extension",
    "prepare_debug",
    "to_ast",
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


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext depyf`: adds the magic `%decompile`."""
    from depyf.ipython import register

    register(shell)


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(__all__))
