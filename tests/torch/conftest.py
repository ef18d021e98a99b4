"""Everything here needs torch; where it is missing, this folder is skipped."""

import os
import pathlib
import subprocess
import sys
from typing import Any, Callable, Dict, Optional

import pytest

torch = pytest.importorskip("torch")

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(autouse=True)
def fresh_dynamo() -> Any:
    """Each test compiles anew and leaves no hook behind."""
    from torch._dynamo import convert_frame

    torch._dynamo.reset()
    hooks = list(convert_frame._bytecode_hooks)
    yield
    assert list(convert_frame._bytecode_hooks) == hooks
    # Torch's own handler may have taken itself away meanwhile.
    assert not [
        handler for handler in torch._logging._internal.trace_log.handlers if "depyf" in type(handler).__module__
    ]
    torch._dynamo.reset()


@pytest.fixture
def run_program(tmp_path: pathlib.Path) -> Callable[..., Any]:
    """Runs a program in a folder of its own; warnings are errors."""

    def run(text: str, *arguments: str, stdin: str = "", env: Optional[Dict[str, str]] = None) -> Any:
        program = tmp_path / "program.py"
        program.write_text(text, encoding="utf-8")
        return subprocess.run(
            [sys.executable, *arguments, str(program)],
            cwd=str(tmp_path),
            input=stdin,
            env={**os.environ, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )

    return run
