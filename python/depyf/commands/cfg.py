"""depyf cfg: the control-flow graph of code objects, as Graphviz text or drawn by Graphviz."""

import argparse
import os
import shutil
import subprocess
from typing import Any, List, Optional, Tuple

from depyf import _engine
from depyf.commands import DONE, UNREADABLE
from depyf.commands.arguments import add_input, codes, message
from depyf.flow_graph import Block, blocks
from depyf.output import files
from depyf.output.dot import digraph

_DRAWN = ("svg", "pdf", "png")


def add(commands: Any) -> None:
    """The options."""
    parser = commands.add_parser(
        "cfg",
        help="control-flow graph, as DOT or SVG",
        description="Control-flow graph of the code objects. Blue: a jump; red: to an exception handler. Formats other "
        "than dot are drawn by Graphviz's `dot`, which must be installed.",
    )
    add_input(parser, many=False)
    parser.add_argument("--code", metavar="NAME", help="only the code objects with that name or qualified name")
    parser.add_argument("--format", choices=("dot",) + _DRAWN, help="default: by the ending of OUT, else dot")
    parser.add_argument("-o", "--output", metavar="OUT", help="file to write (default: standard output)")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    form = options.format or _form_of(options.output)
    if form in _DRAWN and shutil.which("dot") is None:
        message("depyf: %s needs Graphviz's `dot`, which is not on PATH; --format dot does not" % form)
        return UNREADABLE
    status = DONE
    graphs: List[Tuple[str, List[Block]]] = []
    for entry, found, whole in codes([options.input], options):
        status = status if whole else UNREADABLE
        for root in found.codes if found else ():
            for code in every(root):
                if options.code in (None, code.name, code.qualname):
                    graph = _graph(code, entry.label)
                    status = status if graph is not None else UNREADABLE
                    graphs += [] if graph is None else [(code.qualname, graph)]
    if not graphs:
        message("depyf: no code object%s in %s" % (" named %s" % options.code if options.code else "", options.input))
        return UNREADABLE
    return max(status, _write(digraph(graphs), form, options.output))


def every(code: _engine.Code) -> List[_engine.Code]:
    """The code object and all inside it, outermost first."""
    found = [code]
    for entry in found:
        found += entry.nested
    return found


def _graph(code: _engine.Code, label: str) -> Optional[List[Block]]:
    try:
        return blocks(code.listing())
    except ValueError as error:
        message("%s: %s: %s" % (label, code.qualname, error))
        return None


def _form_of(output: Optional[str]) -> str:
    ending = os.path.splitext(output or "")[1][1:]
    return ending if ending in _DRAWN else "dot"


def _write(text: str, form: str, output: Optional[str]) -> int:
    data = files.encoded(text)
    if form in _DRAWN:
        drawn = subprocess.run(["dot", "-T" + form], input=data, capture_output=True)
        if drawn.returncode != 0:
            message("depyf: dot failed: %s" % drawn.stderr.decode("utf-8", "replace").strip())
            return UNREADABLE
        data = drawn.stdout
    try:
        if output is None:
            files.show_bytes(data)
        else:
            files.write_bytes(output, data)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        message("depyf: cannot write %s: %s" % (output, error.strerror))
        return UNREADABLE
    return DONE
