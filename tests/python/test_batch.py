"""Worker processes: one that dies or hangs costs its own task."""

import os
import pathlib
import sys
import textwrap
from typing import Any, List

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import SOURCE, compiled, depyf_command  # noqa: E402

from depyf.batch.pool import run_all  # noqa: E402
from depyf.batch.task import Settings, Task  # noqa: E402


@pytest.fixture
def worker(tmp_path: pathlib.Path) -> List[str]:
    """A worker that dies of the task "crash", never ends "hang", and raises at "raise"."""
    program = tmp_path / "worker.py"
    program.write_text(
        textwrap.dedent(
            """
            import os, signal, sys, time
            from depyf.batch import __main__ as worker
            real = worker.run
            def run(task):
                if task.label == "crash":
                    os.kill(os.getpid(), signal.SIGSEGV)
                if task.label == "hang":
                    time.sleep(1000)
                if task.label == "raise":
                    raise KeyError("ours")
                return real(task)
            worker.run = run
            output = os.fdopen(os.dup(1), "wb")
            worker.serve(sys.stdin.buffer, output)
            """
        )
    )
    return [sys.executable, str(program)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_one_bad_task_costs_itself(jobs: int, worker: List[str], tmp_path: pathlib.Path) -> None:
    data = compiled(tmp_path / "m.pyc").read_bytes()
    labels = ["a", "crash", "b", "hang", "c", "raise", "d"]
    tasks = [Task(label, data, None, Settings()) for label in labels]
    reports = list(run_all(iter(tasks), jobs, 3.0, worker))
    assert [report["input"] for report in reports] == labels
    by_label = {report["input"]: report for report in reports}
    for label in "abcd":
        assert by_label[label]["text"] == by_label["a"]["text"] and "def f(x):" in by_label["a"]["text"]
    assert "signal 11" in by_label["crash"]["error"]["message"]
    assert "within 3 seconds" in by_label["hang"]["error"]["message"]
    assert "internal error: KeyError" in by_label["raise"]["error"]["message"]


def test_jobs_make_no_difference(tmp_path: pathlib.Path) -> None:
    for number in range(9):
        compiled(tmp_path / "in" / ("m%d.pyc" % number), SOURCE + "x = %d\n" % number)
    (tmp_path / "in" / "m4.pyc").write_bytes(b"nothing")
    results: List[Any] = []
    for jobs in (1, 4):
        out = tmp_path / ("out%d" % jobs)
        done = depyf_command("decompile", tmp_path / "in", "-o", out, "--jobs", jobs)
        results.append((done.returncode, done.stderr, {path.name: path.read_text() for path in out.iterdir()}))
    assert results[0] == results[1]
    assert len(results[0][2]) == 8 and results[0][0] == 2
