"""depyf verify: does a source compile to the bytecode of a .pyc file?

An interpreter of the file's version compiles the source, in a process of its own, and compares code object by code object
(depyf/same_code.py). Neither of the two is run.
"""

import argparse
import json
import os
import subprocess
import tempfile
from contextlib import ExitStack
from typing import Any, Dict, List, Optional

from depyf import interpreters, same_code
from depyf.batch.task import unreadable
from depyf.commands import DIFFERENT, DONE, UNREADABLE
from depyf.commands.arguments import add_input, complain, message, seconds
from depyf.inputs import bytecode
from depyf.inputs.bytecode import UnreadableError, Version
from depyf.inputs.entries import entries
from depyf.output import files


def add(commands: Any) -> None:
    """The options."""
    parser = commands.add_parser(
        "verify",
        help="compare a .pyc file with a source",
        description="Compiles SOURCE with the Python that INPUT is of and compares each code object. Nothing is run. Exit "
        "status: 0 all the same, 1 some are not, 2 unreadable, or no Python of that version here.",
    )
    add_input(parser, many=False)
    parser.add_argument("source", metavar="SOURCE", help=".py file")
    parser.add_argument("--interpreter", metavar="PATH", help="the Python to compile with (default: on PATH, pyenv's)")
    parser.add_argument("--timeout", type=seconds, default=300.0, metavar="SECONDS", help="default: %(default)g")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    try:
        version, marshalled = _read(options)
        python = _interpreter(version, options.interpreter)
        with open(options.source, "rb") as stream:
            source = stream.read()
        row = compared(python, marshalled, source, options.timeout)
    except (OSError, ValueError) as error:
        complain(_label(error, options.input), unreadable(options.input, error)["error"])
        return UNREADABLE
    if options.format == "json":
        files.show(json.dumps(dict(row, python="%d.%d" % version, interpreter=python)) + "\n")
    else:
        for name, what in row["different"]:
            files.show("%s: %s\n" % (name, what))
        files.show("%d of %d code objects are the same (Python %d.%d)\n" % ((row["same"], row["total"]) + version))
    return DIFFERENT if row["different"] else DONE


def _label(error: Exception, given: str) -> str:
    return error.filename if isinstance(error, OSError) and isinstance(error.filename, str) else given


def _read(options: argparse.Namespace) -> Any:
    """The version, and the marshalled code object. Our own reader has seen it whole before anyone else gets it."""
    with ExitStack() as opened:
        found = list(entries(options.input, options.max_file_size, opened))
        if len(found) != 1:
            raise UnreadableError(-1, "expected one .pyc file, found %d" % len(found))
        data = found[0].read()
        located = bytecode.locate(data, options.python, found[0].python)
        for note in located.notes:
            message("%s: %s" % (options.input, note))
        salvage = bytecode.salvage(data, located)
        if salvage.message:
            raise UnreadableError(salvage.offset, salvage.message)
        return located.version, data[located.offset :]


def _interpreter(version: Version, given: Optional[str]) -> str:
    wanted = "cpython %d.%d" % version
    if given is None:
        found = interpreters.find(version)
        if found is None:
            raise UnreadableError(
                -1, "expected a Python %d.%d on PATH or in pyenv, found none; see --interpreter" % version
            )
        return found
    answer = interpreters.version_of(given)
    if answer != wanted:
        raise UnreadableError(-1, "expected --interpreter to be %s, found %s" % (wanted, answer or "none"))
    return given


def compared(python: str, marshalled: bytes, source: bytes, timeout: float) -> Dict[str, Any]:
    """{"same", "total", "different": [[name, reason]]}. Raises UnreadableError where the interpreter gives up."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (("m.pyc", bytes(bytecode.HEADER) + marshalled), ("m.py", source)):
            os.mkdir(os.path.join(folder, name[2:]))
            with open(os.path.join(folder, name[2:], name), "wb") as stream:
                stream.write(data)
        command: List[str] = [python, "-I", "-S", str(same_code.__file__)]
        command += [os.path.join(folder, "pyc"), os.path.join(folder, "py")]
        try:
            done = subprocess.run(command, capture_output=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise UnreadableError(-1, "no result within %g seconds" % timeout) from None
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UnreadableError(-1, "%s could not compare: %s" % (python, lines[-1] if lines else done.returncode))
    row: Dict[str, Any] = json.loads(done.stdout.decode("utf-8"))
    return row
