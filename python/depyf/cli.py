"""The `depyf` command. Exit status: 0 all proved, 1 some not, 2 wrong usage or unreadable input."""

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from depyf import _engine
from depyf.version import __version__

PROVED, UNPROVED, UNREADABLE = 0, 1, 2


class Job(NamedTuple):
    """One input. `target` is the file to write, "" for the terminal."""

    source: str  # a path, "-" for standard input
    target: str


class Outcome(NamedTuple):
    """What became of a job."""

    job: Job
    status: int
    counts: Tuple[int, int, int, int]  # code objects exact, equivalent, unproved, failed
    messages: List[str]


VERDICTS = ("exact", "equivalent", "unproved", "failed")


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command line; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PROVED
    except KeyboardInterrupt:
        return 130
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="depyf", description="From Python bytecode back to Python.")
    parser.add_argument("--version", action="version", version="depyf %s" % __version__)
    commands = parser.add_subparsers(metavar="COMMAND")
    commands.required = True

    decompile = commands.add_parser(
        "decompile",
        help="Python source of .pyc files",
        description="Python source of .pyc files. Exit status: 0 every function is proved, 1 some are not, "
        "2 an input could not be read or an output not be written.",
    )
    decompile.add_argument("inputs", nargs="+", metavar="INPUT", help=".pyc file, folder, or - for standard input")
    decompile.add_argument(
        "-o", "--output", metavar="OUT", help="a .py file, or the folder that gets name.py for each name.pyc"
    )
    decompile.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="threads (default: %(default)s)")
    decompile.add_argument("--no-verify", action="store_true", help="do not prove the result; nothing is then proved")
    decompile.set_defaults(run=_decompile)

    dis = commands.add_parser("dis", help="instructions of .pyc files", description="Instructions of .pyc files.")
    dis.add_argument("inputs", nargs="+", metavar="INPUT", help=".pyc file, folder, or - for standard input")
    dis.set_defaults(run=_dis)
    return parser


def _pyc_files(folder: str) -> Iterator[str]:
    """Every .pyc below the folder, in the order of names."""
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith((".pyc", ".pyo")):
                yield os.path.join(root, name)


def _jobs(inputs: Iterable[str], output: Optional[str]) -> Iterator[Job]:
    for given in inputs:
        if os.path.isdir(given):
            for path in _pyc_files(given):
                relative = os.path.splitext(os.path.relpath(path, given))[0] + ".py"
                yield Job(path, os.path.join(output, relative) if output else "")
        elif output is None:
            yield Job(given, "")
        elif output.endswith(".py") and not os.path.isdir(output):
            yield Job(given, output)
        else:
            name = "stdin" if given == "-" else os.path.splitext(os.path.basename(given))[0]
            yield Job(given, os.path.join(output, name + ".py"))


def _read(source: str) -> _engine.Code:
    if source == "-":
        return _engine.from_bytes(sys.stdin.buffer.read())
    with open(source, "rb") as stream:
        return _engine.from_bytes(stream.read())


def _write(target: str, text: str) -> None:
    """Whole or not at all: a reader never sees half a file."""
    folder = os.path.dirname(target)
    if folder:
        os.makedirs(folder, exist_ok=True)
    temporary = "%s.%d.part" % (target, os.getpid())
    try:
        with open(temporary, "wb") as stream:
            stream.write(_encoded(text))
        os.replace(temporary, target)
    except OSError:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decompile_one(job: Job, verify: bool) -> Outcome:
    try:
        result = _engine.decompile(_read(job.source), True, verify)
        text = result.source
        if job.target:
            _write(job.target, text)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(_encoded(text))
    except BrokenPipeError:
        raise
    except (OSError, ValueError, MemoryError) as error:
        return Outcome(job, UNREADABLE, (0, 0, 0, 0), [_message(error)])
    verdicts = [verdict for _, verdict in result.codes]
    counts = tuple(verdicts.count(verdict) for verdict in VERDICTS)
    status = UNPROVED if counts[2] or counts[3] else PROVED
    messages = ["%s, offset %d: %s" % entry for entry in result.diagnostics]
    return Outcome(job, status, counts, messages)  # type: ignore[arg-type]


def _message(error: BaseException) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__


def _decompile(options: argparse.Namespace) -> int:
    jobs = list(_jobs(options.inputs, options.output))
    if not jobs:
        print("depyf: no .pyc file in %s" % ", ".join(options.inputs), file=sys.stderr)
        return UNREADABLE
    twice = _duplicate(jobs)
    if twice:
        print("depyf: two inputs would be written to %s" % twice, file=sys.stderr)
        return UNREADABLE
    verify = not options.no_verify
    if options.output is None or options.jobs <= 1 or len(jobs) == 1:
        outcomes: Iterable[Outcome] = (_decompile_one(job, verify) for job in jobs)
        return _report(_shown(outcomes, len(jobs)), options.output is not None)
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = pool.map(lambda job: _decompile_one(job, verify), jobs)
        return _report(_shown(outcomes, len(jobs)), True)


def _duplicate(jobs: List[Job]) -> str:
    seen = set()
    for job in jobs:
        if job.target and job.target in seen:
            return job.target
        seen.add(job.target)
    return ""


def _shown(outcomes: Iterable[Outcome], total: int) -> Iterator[Outcome]:
    """The same, with a progress bar where somebody looks."""
    if total < 2 or not sys.stderr.isatty():
        yield from outcomes
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(outcomes, description="decompile", total=total, console=Console(stderr=True), transient=True)


def _report(outcomes: Iterable[Outcome], with_summary: bool) -> int:
    status, files = PROVED, 0
    sums = [0, 0, 0, 0]
    for outcome in outcomes:
        files += 1
        status = max(status, outcome.status)
        sums = [total + count for total, count in zip(sums, outcome.counts)]
        for message in outcome.messages:
            print("%s: %s" % (outcome.job.source, message), file=sys.stderr)
    if with_summary:
        parts = ", ".join("%d %s" % pair for pair in zip(sums, VERDICTS))
        print("%d files, %d code objects: %s" % (files, sum(sums), parts), file=sys.stderr)
    return status


def _dis(options: argparse.Namespace) -> int:
    status = PROVED
    show: Callable[[Any], Any] = sys.stdout.buffer.write
    for job in _jobs(options.inputs, None):
        try:
            show(_encoded(_engine.disassemble(_read(job.source))))
        except BrokenPipeError:
            raise
        except (OSError, ValueError) as error:
            print("%s: %s" % (job.source, _message(error)), file=sys.stderr)
            status = UNREADABLE
    sys.stdout.flush()
    return status


if __name__ == "__main__":
    sys.exit(main())
