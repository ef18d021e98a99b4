"""Tasks spread over worker processes. What kills a worker, or takes it too long, costs that task only."""

import json
import os
import pickle
import struct
import subprocess
import sys
import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Deque, Iterable, Iterator, List, Optional

from depyf.batch.task import Report, Task, unreadable

_COMMAND = [sys.executable, "-m", "depyf.batch"]


class Worker:
    """A process that does one task after the other, and is started again when it has died."""

    def __init__(self, command: List[str]) -> None:
        self._command = command
        self._process: Optional[Any] = None

    def do(self, task: Task, seconds: float) -> Report:
        """`seconds`: 0 or how long the task may take."""
        process = self._process
        if process is None or process.poll() is not None:
            process = self._process = self._start()
        late = threading.Event()
        timer = threading.Timer(seconds, lambda: (late.set(), process.kill()))  # type: ignore[func-returns-value]
        if seconds > 0:
            timer.start()
        try:
            answer = self._ask(process, task)
        finally:
            timer.cancel()
        if answer is not None:
            return answer
        self.close()
        if late.is_set():
            return unreadable(task.label, TimeoutError("no result within %g seconds" % seconds))
        return unreadable(task.label, RuntimeError("the worker process ended: %s" % _ending(process.returncode)))

    def _start(self) -> Any:
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path))
        return subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )

    @staticmethod
    def _ask(process: Any, task: Task) -> Optional[Report]:
        """None where the process ended before it answered."""
        data = pickle.dumps(task)
        try:
            process.stdin.write(struct.pack("!Q", len(data)) + data)
            process.stdin.flush()
            head = process.stdout.read(8)
            if len(head) < 8:
                return None
            (size,) = struct.unpack("!Q", head)
            answer = process.stdout.read(size)
        except OSError:
            return None
        return json.loads(answer.decode("ascii")) if len(answer) == size else None

    def close(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            try:
                stream.close()
            except OSError:
                pass
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _ending(code: Optional[int]) -> str:
    if code is None:
        return "no reason known"
    return "signal %d" % -code if code < 0 else "exit status %d" % code


def run_all(
    tasks: Iterable[Task], jobs: int, seconds: float = 0, command: Optional[List[str]] = None
) -> Iterator[Report]:
    """The reports in the order of the tasks, of which no more are taken than workers can have in hand."""
    workers: List[Worker] = []
    own = threading.local()

    def do(task: Task) -> Report:
        if not hasattr(own, "worker"):
            own.worker = Worker(command or _COMMAND)
            workers.append(own.worker)
        report: Report = own.worker.do(task, seconds)
        return report

    pending: Deque[Future] = deque()
    pool = ThreadPoolExecutor(jobs)
    try:
        for task in tasks:
            pending.append(pool.submit(do, task))
            while len(pending) >= 4 * jobs or pending and pending[0].done():
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        for future in pending:
            future.cancel()
        pool.shutdown()
        for worker in workers:
            worker.close()
