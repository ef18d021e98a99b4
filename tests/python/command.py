"""What the tests of the command line share."""

import pathlib
import py_compile
import subprocess
import sys
from typing import Any

SOURCE = "def f(x):\n    return x + 1\n"
BY_VERDICT = {"exact": 0, "equivalent": 0, "unproved": 1, "failed": 1}  # exit status


def depyf_command(*arguments: Any, **options: Any) -> Any:
    """The command as a process, its output as bytes."""
    return subprocess.run([sys.executable, "-m", "depyf", *map(str, arguments)], capture_output=True, **options)


def compiled(path: pathlib.Path, source: str = SOURCE, python: str = sys.executable) -> pathlib.Path:
    """A .pyc file of that source, made by that Python; the source lies beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_suffix(".py")
    written.write_text(source, encoding="utf-8")
    if python == sys.executable:
        py_compile.compile(str(written), cfile=str(path), doraise=True)
    else:
        script = "import py_compile, sys; py_compile.compile(sys.argv[1], cfile=sys.argv[2], doraise=True)"
        subprocess.run([python, "-c", script, str(written), str(path)], check=True)
    return path


def status_of(report: Any) -> int:
    """The exit status that a JSON report's verdicts ask for."""
    return max([BY_VERDICT[code["verdict"]] for code in report["codes"]] + [2 * (report["error"] is not None)])
