"""The full code of one function, inside of `prepare_debug`."""

from types import CodeType
from typing import Any, Dict, Optional


def dump_src(original_code: CodeType, module: Optional[Dict[str, Any]] = None) -> str:
    """Text of full_code_for_* for a function compiled so far, from its original code object.

    `module` (the function's globals) is accepted for compatibility. Raises RuntimeError outside of `prepare_debug`.
    """
    from depyf.torch import session

    current = session.current()
    if current is None:
        raise RuntimeError("depyf.explain.dump_src must be called inside of depyf.prepare_debug")
    current._add_older()
    return current.dump_source(original_code)
