"""The `depyf` command. What it can do stands in depyf/commands, one file a subcommand."""

import argparse
import os
import sys
from typing import List, Optional

from depyf.commands import DONE, cfg, decompile, dis, info, verify
from depyf.version import __version__


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command line; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        return 130
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="depyf", description="From Python bytecode back to Python.")
    parser.add_argument("--version", action="version", version="depyf %s" % __version__)
    commands = parser.add_subparsers(metavar="COMMAND")
    commands.required = True
    for command in (decompile, dis, cfg, verify, info):
        command.add(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
