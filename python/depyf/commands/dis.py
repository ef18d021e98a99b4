"""depyf dis: instructions, in the same form for every version."""

import argparse
from typing import Any

from depyf import _engine
from depyf.commands import DONE, UNREADABLE
from depyf.commands.arguments import add_input, codes
from depyf.output import files


def add(commands: Any) -> None:
    """The options."""
    text = "instructions of .pyc files, folders and archives"
    parser = commands.add_parser("dis", help=text, description=text[0].upper() + text[1:] + ".")
    add_input(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    status, listed = DONE, 0
    for _, found, whole in codes(options.inputs, options):
        status = status if whole else UNREADABLE
        for code in found.codes if found else ():
            files.show(("\n" if listed else "") + _engine.disassemble(code))
            listed += 1
    return status if listed or status else UNREADABLE
