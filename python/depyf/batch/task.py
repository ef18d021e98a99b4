"""One file from bytes to a report: plain values only, so that it can cross to another process and into JSON."""

from typing import Any, Dict, List, NamedTuple, Optional

from depyf import _engine
from depyf.decompilation import Decompilation, joined
from depyf.inputs import bytecode
from depyf.inputs.bytecode import Limits, UnreadableError, Version
from depyf.output import line_map
from depyf.output.instructions import with_instructions


class Settings(NamedTuple):
    """The options that concern a single file. Limits of 0 are the default ones."""

    python: Optional[Version] = None
    verify: bool = True
    align_lines: bool = False
    line_map: bool = False
    asm: bool = False
    max_depth: int = 0
    max_code_size: int = 0
    max_objects: int = 0
    seconds: float = 0


class Task(NamedTuple):
    """One piece of bytecode. `python`: what its container says, which the settings overrule."""

    label: str
    data: bytes
    python: Optional[Version]
    settings: Settings


# A report has these keys; see docs/command_line.md. "text" is what to write, None where there is nothing.
Report = Dict[str, Any]


def empty_report(label: str) -> Report:
    return {
        "input": label,
        "python": None,
        "status": "unreadable",
        "error": None,
        "notes": [],
        "codes": [],
        "diagnostics": [],
        "line_map": None,
        "text": None,
    }


def unreadable(label: str, error: BaseException) -> Report:
    """The report of what could not be read at all."""
    report = empty_report(label)
    report["error"] = {"offset": _offset(error), "message": _message(error)}
    return report


def _offset(error: BaseException) -> Optional[int]:
    return error.offset if isinstance(error, UnreadableError) and error.offset >= 0 else None


def _message(error: BaseException) -> str:
    if isinstance(error, UnreadableError):
        return error.message
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def run(task: Task) -> Report:
    """Never raises for what stands in the bytes."""
    try:
        return _run(task)
    except (UnreadableError, ValueError, MemoryError) as error:
        return unreadable(task.label, error)


def _run(task: Task) -> Report:
    settings = task.settings
    located = bytecode.locate(task.data, settings.python, task.python)
    found = bytecode.salvage(task.data, located, Limits(settings.max_depth, settings.max_objects))
    if found.message and not found.codes:
        raise UnreadableError(found.offset, found.message)
    report = empty_report(task.label)
    report["python"] = "%d.%d" % located.version
    report["notes"] = located.notes
    whole = not found.message
    parts = [decompiled(code, whole, settings) for code in found.codes]
    result = parts[0] if whole else joined(parts)
    report["codes"] = [{"name": name, "verdict": verdict} for name, verdict in result.codes]
    report["diagnostics"] = [
        {"code": name, "offset": None if offset < 0 else offset, "message": message}
        for name, offset, message in result.diagnostics
    ]
    proved = all(verdict in ("exact", "equivalent") for _, verdict in result.codes)
    report["status"] = "unreadable" if not whole else "proved" if proved else "unproved"
    if settings.line_map:
        report["line_map"] = line_map.rows(result)
    report["text"] = with_instructions(result) if settings.asm else result.source
    if not whole:
        report["error"] = {"offset": found.offset, "message": found.message}
        report["text"] = _lost(report, found) + report["text"]
        for row in report["line_map"] or ():
            row["line"] += 2
    return report


def decompiled(code: _engine.Code, as_module: bool, settings: Settings) -> Decompilation:
    """With the limits of the settings."""
    return Decompilation(
        _engine.decompile(
            code,
            as_module,
            settings.verify,
            False,
            settings.align_lines,
            settings.max_depth,
            settings.max_code_size,
            settings.seconds,
        )
    )


def _lost(report: Report, found: bytecode.Salvage) -> str:
    """Two lines of comment."""
    names: List[str] = [code.qualname for code in found.codes]
    what = "# depyf could not read the module at byte %d: %s\n# What was whole in it: %s\n"
    return what % (found.offset, found.message, ascii(", ".join(names))[1:-1])
