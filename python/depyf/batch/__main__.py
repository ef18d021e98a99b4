"""A worker process: pickled tasks come in, JSON reports go out, each behind its size as eight bytes."""

import json
import os
import pickle
import struct
import sys
from typing import BinaryIO

from depyf.batch.task import run, unreadable


def serve(tasks: BinaryIO, reports: BinaryIO) -> None:
    """Until no task comes any more."""
    while True:
        head = tasks.read(8)
        if len(head) < 8:
            return
        task = pickle.loads(tasks.read(struct.unpack("!Q", head)[0]))
        try:
            report = run(task)
        except Exception as error:  # a fault of ours costs this file only
            report = unreadable(task.label, RuntimeError("internal error: %r" % error))
        answer = json.dumps(report).encode("ascii")
        reports.write(struct.pack("!Q", len(answer)) + answer)
        reports.flush()


if __name__ == "__main__":
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else may write between the reports
    serve(sys.stdin.buffer, output)
