"""depyf info: what the inputs are, without decompiling them."""

import argparse
import datetime
import json
from contextlib import ExitStack
from typing import Any, Dict, Iterator

from depyf import _engine
from depyf.batch.task import unreadable
from depyf.commands import DONE, UNREADABLE
from depyf.commands.arguments import add_input
from depyf.commands.cfg import every
from depyf.inputs import bytecode
from depyf.inputs.entries import Entry, entries
from depyf.output import files


def add(commands: Any) -> None:
    """The options."""
    parser = commands.add_parser(
        "info",
        help="version, header and size of bytecode",
        description="Version, header, names and numbers of everything in the inputs, without decompiling it.",
    )
    add_input(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    status, found = DONE, []
    for facts in _all(options):
        status = UNREADABLE if "error" in facts else status
        if options.format == "text":
            files.show(_text(facts))
        found.append(facts)
    if options.format == "json":
        files.show(json.dumps({"files": found}, indent=1) + "\n")
    return status if found else UNREADABLE


def _all(options: argparse.Namespace) -> Iterator[Dict[str, Any]]:
    with ExitStack() as opened:
        for given in options.inputs:
            for entry in entries(given, options.max_file_size, opened):
                try:
                    yield _facts(entry, options)
                except (OSError, ValueError, MemoryError) as error:
                    yield {"input": entry.label, "error": unreadable(entry.label, error)["error"]}


def _facts(entry: Entry, options: argparse.Namespace) -> Dict[str, Any]:
    data = entry.read()
    located = bytecode.locate(data, options.python, entry.python)
    found = bytecode.salvage(data, located)
    facts: Dict[str, Any] = {
        "input": entry.label,
        "bytes": len(data),
        "python": "%d.%d" % located.version,
        "magic": located.magic,
        "notes": located.notes,
    }
    facts.update(_header(data, located))
    if found.message:
        facts["error"] = {"offset": found.offset, "message": found.message}
    if found.codes:
        facts.update(_contents(found))
    return facts


def _header(data: bytes, located: bytecode.Located) -> Dict[str, Any]:
    if located.magic is None or located.offset != bytecode.HEADER:
        return {}
    flags = int.from_bytes(data[4:8], "little")
    if flags & 1:
        return {"flags": flags, "source_hash": data[8:16].hex()}
    stamp = int.from_bytes(data[8:12], "little")
    time = datetime.datetime.fromtimestamp(stamp, datetime.timezone.utc).isoformat()
    return {"flags": flags, "source_time": time, "source_bytes": int.from_bytes(data[12:16], "little")}


def _contents(found: bytecode.Salvage) -> Dict[str, Any]:
    codes = [code for root in found.codes for code in every(root)]
    return {
        "filename": found.codes[0].filename,
        "code_objects": len(codes),
        "instruction_bytes": sum(code.size for code in codes),
        "undecodable": [code.qualname for code in codes if not _decodes(code)],
    }


def _decodes(code: _engine.Code) -> bool:
    try:
        code.listing()
    except ValueError:
        return False
    return True


def _text(facts: Dict[str, Any]) -> str:
    lines = [facts["input"]]
    for key, value in facts.items():
        if key == "error":
            where = "" if value["offset"] is None else " (at byte %d)" % value["offset"]
            value = value["message"] + where
        if isinstance(value, list):
            value = "; ".join(value)
        if key != "input" and value not in (None, ""):
            lines.append("  %-18s %s" % (key.replace("_", " "), value))
    return "\n".join(lines) + "\n"
