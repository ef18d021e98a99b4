"""Options that several subcommands share."""

import argparse
import sys
from contextlib import ExitStack
from typing import Any, Iterator, Optional, Tuple

from depyf.batch.task import unreadable
from depyf.inputs import bytecode
from depyf.inputs.bytecode import SUPPORTED, Salvage, UnreadableError, Version
from depyf.inputs.entries import Entry, entries

INPUT = ".pyc file, folder, .zip/.whl/.egg/.pyz, PyInstaller program, marshalled code, or - for standard input"
MAX_FILE_SIZE = 1 << 28


def python_version(text: str) -> Version:
    """`3.8`"""
    parts = text.split(".")
    if len(parts) == 2 and all(part.isdigit() for part in parts):
        version = (int(parts[0]), int(parts[1]))
        if version in SUPPORTED:
            return version
    raise argparse.ArgumentTypeError("expected a version from 3.7 to 3.15, found %r" % text)


def positive(text: str) -> int:
    """A number of things."""
    if text.isdigit() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError("expected a number above 0, found %r" % text)


def seconds(text: str) -> float:
    """A time."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError("expected seconds above 0, found %r" % text)
    return value


def add_input(parser: argparse.ArgumentParser, many: bool = True) -> None:
    """INPUT..., --python, --max-file-size."""
    if many:
        parser.add_argument("inputs", nargs="+", metavar="INPUT", help=INPUT)
    else:
        parser.add_argument("input", metavar="INPUT", help=INPUT)
    parser.add_argument(
        "--python",
        type=python_version,
        metavar="X.Y",
        help="the version that the bytecode is of, whatever its header says; without it a missing or unknown header "
        "makes depyf guess, and say so",
    )
    parser.add_argument(
        "--max-file-size",
        type=positive,
        default=MAX_FILE_SIZE,
        metavar="BYTES",
        help="largest file or archive member that is read (default: %(default)s)",
    )


def complain(label: str, report: Any) -> None:
    """`file: message (at byte 16)` on standard error."""
    where = "" if report["offset"] is None else " (at byte %d)" % report["offset"]
    message("%s: %s%s" % (label, report["message"], where))


def message(text: str) -> None:
    """On standard error, whatever it can encode. Names in the input cannot write escape sequences to a terminal."""
    encoding = getattr(sys.stderr, "encoding", None) or "ascii"
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    print(text.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr)


def codes(inputs: Any, options: argparse.Namespace) -> Iterator[Tuple[Entry, Optional[Salvage], bool]]:
    """Every entry with its code objects; None, and a message, where there are none. The flag says that all was read."""
    with ExitStack() as opened:
        for given in inputs:
            for entry in entries(given, options.max_file_size, opened):
                try:
                    data = entry.read()
                    located = bytecode.locate(data, options.python, entry.python)
                    found = bytecode.salvage(data, located)
                    if found.message and not found.codes:
                        raise UnreadableError(found.offset, found.message)
                except (OSError, ValueError, MemoryError) as error:
                    complain(entry.label, unreadable(entry.label, error)["error"])
                    yield entry, None, False
                    continue
                for note in located.notes:
                    message("%s: %s" % (entry.label, note))
                if found.message:
                    complain(entry.label, {"offset": found.offset, "message": found.message})
                yield entry, found, not found.message
