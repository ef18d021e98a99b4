"""depyf decompile: Python source of everything given."""

import argparse
import json
import os
import sys
from contextlib import ExitStack
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from depyf.batch.pool import run_all
from depyf.batch.task import Report, Settings, Task, run, unreadable
from depyf.commands import DIFFERENT, DONE, UNREADABLE
from depyf.commands.arguments import add_input, complain, message, positive, seconds
from depyf.decompilation import VERDICTS
from depyf.inputs.entries import Entry, entries, with_data
from depyf.output import files, line_map

_STATUS = {"proved": DONE, "unproved": DIFFERENT, "unreadable": UNREADABLE}
_GRACE = 5.0  # seconds that a worker gets to finish by itself once the time is over


class Job(NamedTuple):
    """One piece of bytecode. `target` is the file to write, "" for the terminal."""

    entry: Entry
    target: str


def add(commands: Any) -> None:
    """The options."""
    parser = commands.add_parser(
        "decompile",
        help="Python source of .pyc files, folders and archives",
        description="Python source of .pyc files, folders and archives. Exit status: 0 every function is proved, "
        "1 some are not, 2 an input could not be read or an output not be written.",
    )
    add_input(parser)
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="a .py file, or the folder that gets name.py for name.pyc"
    )
    parser.add_argument(
        "-j", "--jobs", type=positive, default=os.cpu_count() or 1, metavar="N", help="processes (default: %(default)s)"
    )
    parser.add_argument("--align-lines", action="store_true", help="every statement on its original line")
    parser.add_argument(
        "--line-map",
        action="store_true",
        help="which instruction went into which line: name.py.map.json beside each file, comments on the terminal",
    )
    parser.add_argument("--asm", action="store_true", help="the instructions of each statement above it, as comments")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: one document for all inputs")
    parser.add_argument("--no-verify", action="store_true", help="do not prove the result; nothing is then proved")
    limits = parser.add_argument_group("limits", "what is over one of them becomes a stub or a message, never a crash")
    limits.add_argument("--timeout", type=seconds, default=0.0, metavar="SECONDS", help="for each file (default: none)")
    limits.add_argument(
        "--max-depth",
        type=positive,
        default=0,
        metavar="N",
        help="nesting of code objects and constants (default: 1000)",
    )
    limits.add_argument(
        "--max-code-size",
        type=positive,
        default=0,
        metavar="BYTES",
        help="instructions of one code object (default: any)",
    )
    limits.add_argument(
        "--max-objects",
        type=positive,
        default=0,
        metavar="N",
        help="objects that one file may unfold to (default: a million and 4 for each of its bytes)",
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    with ExitStack() as opened:
        jobs, status = [], DONE
        for given in options.inputs:
            found = list(entries(given, options.max_file_size, opened))
            if not found:
                message("depyf: no bytecode in %s" % given)
                status = UNREADABLE
            jobs += [Job(entry, _target(entry, given, options.output)) for entry in found]
        if not jobs:
            return UNREADABLE
        twice = _duplicate(jobs)
        if twice:
            message("depyf: two inputs would be written to %s" % twice)
            return UNREADABLE
        reports = _reports(jobs, options)
        if len(jobs) > 1 and sys.stderr.isatty() and (options.output or not sys.stdout.isatty()):
            reports = _with_bar(reports, len(jobs))
        show = _as_json if options.format == "json" else _as_text
        return max(status, show(jobs, reports, options))


def _target(entry: Entry, given: str, output: Optional[str]) -> str:
    if output is None:
        return ""
    if output.endswith(".py") and not os.path.isdir(output) and not os.path.isdir(given):
        return output
    return os.path.join(output, *entry.target.split("/"))


def _duplicate(jobs: List[Job]) -> str:
    seen = set()
    for job in jobs:
        if job.target and job.target in seen:
            return job.target
        seen.add(job.target)
    return ""


def _settings(options: argparse.Namespace) -> Settings:
    return Settings(
        options.python,
        not options.no_verify,
        options.align_lines,
        options.line_map,
        options.asm,
        options.max_depth,
        options.max_code_size,
        options.max_objects,
        options.timeout,
    )


def _reports(jobs: List[Job], options: argparse.Namespace) -> Iterator[Report]:
    """In the order of the jobs."""
    settings = _settings(options)
    unread: Dict[int, Report] = {}

    def tasks() -> Iterator[Task]:
        for index, job in enumerate(jobs):
            data, error = with_data(job.entry)
            if error is not None or data is None:
                unread[index] = unreadable(job.entry.label, error or ValueError("nothing"))
            else:
                yield Task(job.entry.label, data, job.entry.python, settings)

    if len(jobs) == 1 and not options.timeout:
        done: Iterable[Report] = map(run, tasks())
    else:
        limit = options.timeout + _GRACE if options.timeout else 0.0
        done = run_all(tasks(), min(options.jobs, len(jobs)), limit)
    results = iter(done)
    ahead: List[Report] = []
    for index in range(len(jobs)):
        if index not in unread and not ahead:
            ahead.extend(_next(results))  # reading it may show that this job cannot be read
        yield unread.pop(index) if index in unread else ahead.pop()


def _next(results: Iterator[Report]) -> List[Report]:
    report = next(results, None)
    return [] if report is None else [report]


def _with_bar(reports: Iterable[Report], total: int) -> Iterator[Report]:
    """The same, with a progress bar on standard error."""
    try:
        from rich.console import Console
        from rich.progress import track
    except ImportError:
        yield from reports
        return
    yield from track(reports, description="decompile", total=total, console=Console(stderr=True), transient=True)


def _as_text(jobs: List[Job], reports: Iterable[Report], options: argparse.Namespace) -> int:
    status, sums = DONE, dict.fromkeys(VERDICTS, 0)
    for job, report in zip(jobs, reports):
        text = report["text"]
        mapped = report["line_map"]
        if text is not None and job.target:
            _write(job, report, text, mapped)
        elif text is not None:
            head = "# %s\n" % ascii(job.entry.label)[1:-1] if len(jobs) > 1 else ""
            files.show(head + text + (line_map.as_comments(mapped) if mapped is not None else ""))
        status = max(status, _STATUS[report["status"]])
        _count(report, sums)
        _tell(job, report)
    if options.output is not None or len(jobs) > 1:
        message(_summary(len(jobs), sums))
    return status


def _write(job: Job, report: Report, text: str, mapped: Optional[List[Any]]) -> None:
    """The file, and its line map where one is asked for; what cannot be written is reported."""
    try:
        files.write(job.target, text)
        if mapped is not None:
            files.write(job.target + ".map.json", json.dumps(mapped, indent=0) + "\n")
    except OSError as error:
        report["status"] = "unreadable"
        report["error"] = {"offset": None, "message": "cannot write %s: %s" % (job.target, error.strerror)}


def _tell(job: Job, report: Report) -> None:
    for note in report["notes"]:
        message("%s: %s" % (job.entry.label, note))
    if report["error"] is not None:
        complain(job.entry.label, report["error"])
    for entry in report["diagnostics"]:
        where = "" if entry["offset"] is None else ", offset %d" % entry["offset"]
        message("%s: %s%s: %s" % (job.entry.label, entry["code"], where, entry["message"]))


def _count(report: Report, sums: Dict[str, int]) -> None:
    for code in report["codes"]:
        sums[code["verdict"]] += 1


def _summary(count: int, sums: Dict[str, int]) -> str:
    parts = ", ".join("%d %s" % (sums[verdict], verdict) for verdict in VERDICTS)
    return "%d files, %d code objects: %s" % (count, sum(sums.values()), parts)


def _as_json(jobs: List[Job], reports: Iterable[Report], options: argparse.Namespace) -> int:
    """{"files": [...], "summary": {...}}, written as it comes."""
    status, sums = DONE, dict.fromkeys(VERDICTS, 0)
    files.show('{"files": [')
    unreadable_files = 0
    for number, (job, report) in enumerate(zip(jobs, reports)):
        if job.target and report["text"] is not None:
            _write(job, report, report["text"], report["line_map"])
        status = max(status, _STATUS[report["status"]])
        unreadable_files += report["status"] == "unreadable"
        _count(report, sums)
        files.show(("," if number else "") + "\n" + json.dumps(_public(report, job)))
    summary: List[Tuple[str, int]] = [("files", len(jobs)), ("unreadable", unreadable_files)]
    files.show('\n], "summary": %s}\n' % json.dumps(dict(summary + list(sums.items()))))
    return status


def _public(report: Report, job: Job) -> Report:
    """With the source, or the file it went to."""
    result = {key: value for key, value in report.items() if key not in ("text", "line_map")}
    if job.target:
        result["output"] = job.target if report["text"] is not None else None
    else:
        result["source"] = report["text"]
    if report["line_map"] is not None and not job.target:
        result["line_map"] = report["line_map"]
    return result
