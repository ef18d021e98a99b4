"""TORCH_LOGS="+bytecode" with the decompiled source behind the bytecode."""

import logging
from types import CodeType
from typing import Any, Optional

from depyf.decompiler import DecompilationError, decompile
from depyf.torch import compat

_handle: Any = None


def install() -> None:
    """From now on TORCH_LOGS="+bytecode" also shows each transformed code as source. Again is fine; see uninstall()."""
    global _handle
    if _handle is None:
        _handle = compat.register_bytecode_hook(_log_source)


def uninstall() -> None:
    """Takes the hook of install() away; without one nothing happens."""
    global _handle
    if _handle is not None:
        _handle.remove()
        _handle = None


def _log_source(original: CodeType, transformed: CodeType) -> Optional[CodeType]:
    log = compat.bytecode_log()
    if log.isEnabledFor(logging.DEBUG):
        try:
            log.debug("possible source code:\n%s", decompile(transformed))
        except DecompilationError as error:
            log.debug("no source code: %s", error)
        except Exception as error:
            log.debug("no source code, for a reason that is a defect of depyf: %r", error)
    return None
