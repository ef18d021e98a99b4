"""Other decompilers, each in its own environment, on the files that they manage: text that compiles again and has no gap.

Time is processor time a file, in one process, import and first file not counted, for both sides alike.
"""

import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENTS = os.path.join(os.path.dirname(HERE), "build", "bench")
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tests"))


class Peer(NamedTuple):
    """A decompiler, the Python that it runs on, and the Python whose library it is given."""

    name: str
    requirement: str
    runs_on: str
    reads: str
    what: str = "files"


PEERS = [
    Peer("uncompyle6", "uncompyle6==3.9.3", "3.8", "3.8"),
    Peer("decompyle3", "decompyle3==3.9.3", "3.8", "3.8"),
    Peer("pycdecompile", "pycdecompile==0.1.2.2", "3.11", "3.8"),
    Peer("pycdecompile", "pycdecompile==0.1.2.2", "3.11", "3.11"),
    Peer("depyo", "depyo==1.3.0", "3.11", "3.8"),
    Peer("depyo", "depyo==1.3.0", "3.11", "3.11"),
    Peer("depyf", "depyf==0.20.0", "3.11", "3.11", "functions"),
]

COMPILE = """
import importlib.util, marshal, os, sys, sysconfig
root, target, every = sysconfig.get_path("stdlib"), sys.argv[1], int(sys.argv[2])
paths = [os.path.join(f, n) for f, _, ns in sorted(os.walk(root)) for n in sorted(ns) if n.endswith(".py")]
skip = ("/test/", "/tests/", "/site-packages/", "/lib2to3/", "/idlelib/")
for number, path in enumerate([p for p in paths if not any(part in p for part in skip)][::every]):
    with open(path, "rb") as f:
        code = compile(f.read(), path, "exec", dont_inherit=True)
    with open(os.path.join(target, "%03d.pyc" % number), "wb") as f:
        f.write(importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code))
"""
PARSES = """
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    try:
        compile(row["text"].encode("utf-8", "surrogatepass"), "x", "exec", dont_inherit=True)
        print(row["file"])
    except (SyntaxError, ValueError, AttributeError, RecursionError):
        pass
"""


def interpreter(version: str) -> Optional[str]:
    """As the tests find it."""
    from conftest import interpreter as find

    found: Optional[str] = find(version)
    return found


def environment(peer: Peer) -> Any:
    """(its python, "") or (None, why not)."""
    base = interpreter(peer.runs_on)
    if base is None:
        return None, "no Python %s here" % peer.runs_on
    folder = os.path.join(ENVIRONMENTS, peer.requirement.replace("==", "-") + "-" + peer.runs_on)
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(os.path.join(folder, "complete")):
        steps = [
            [base, "-m", "venv", folder],
            [python, "-m", "pip", "install", "--quiet", "setuptools", peer.requirement],
        ]
        for step in steps:
            done = subprocess.run(step, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != 0:
                lines = [line for line in done.stdout.splitlines() if line.startswith("ERROR")] or ["pip failed"]
                return None, lines[-1]
        with open(os.path.join(folder, "complete"), "w"):
            pass
    return python, ""


def rows(python: str, name: str, paths: List[str], folder: str) -> List[Dict[str, Any]]:
    """What the driver found; a crash ends the list at the file that brought it about, and the rest goes on without it."""
    out = os.path.join(folder, "rows.json")
    found: List[Dict[str, Any]] = []
    waiting = list(paths)
    while waiting:
        subprocess.run([python, os.path.join(HERE, "peer_driver.py"), name, out] + waiting, stderr=subprocess.DEVNULL)
        with open(out) as stream:
            part = [json.loads(line) for line in stream]
        found += part
        done = {row["file"].split(" ")[0] for row in part}
        left = [path for path in waiting if path not in done]
        if len(left) == len(waiting):
            left = left[1:]  # the first one kills the process
        elif left and name != "depyf functions":
            left = left[1:]
        waiting = left
    return found


def managed(found: List[Dict[str, Any]], python: str) -> Dict[str, float]:
    """Seconds by file, for text that compiles and says nothing of being incomplete."""
    whole = [row for row in found if row["text"] and not _is_incomplete(row["text"])]
    data = "".join(json.dumps(row) + "\n" for row in whole)
    done = subprocess.run(
        [python, "-W", "ignore", "-c", PARSES], input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    good = set(done.stdout.splitlines())
    return {row["file"]: row["seconds"] for row in whole if row["file"] in good}


def _is_incomplete(text: str) -> bool:
    marks = ("WARNING: Decompyle incomplete", "Unsupported opcode", "Unsupported Node", "parse error", "Parse error")
    return any(mark in text for mark in marks)


def table(quick: bool) -> str:
    """Markdown."""
    text = (
        "Other decompilers, on the files of the standard library that they manage (text that compiles and "
        "has no gap), where this depyf manages them too.\n\n"
        "| decompiler | bytecode | manages | its time / depyf's, median | smallest - greatest |\n|---|---|---|---|---|\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        ours: Dict[Any, Any] = {}
        own_share: Dict[Any, str] = {}
        for peer in PEERS:
            text += "| %s | %s %s | %s |\n" % (
                peer.requirement,
                peer.reads,
                peer.what,
                _row(peer, folder, ours, own_share, quick),
            )
        for (reads, what), share in own_share.items():
            text += "| this depyf | %s %s | %s | 1 | |\n" % (reads, what, share)
    return text


def _row(peer: Peer, folder: str, ours: Dict[Any, Any], own_share: Dict[Any, str], quick: bool) -> str:
    reader = interpreter(peer.reads)
    python, reason = environment(peer)
    if reader is None or python is None:
        return "not measured: %s | | " % (reason or "no Python %s here" % peer.reads)
    pycs = os.path.join(folder, peer.reads)
    if not os.path.isdir(pycs):
        os.mkdir(pycs)
        subprocess.run([reader, "-W", "ignore", "-c", COMPILE, pycs, "40" if quick else "20"], check=True)
    paths = sorted(glob.glob(os.path.join(pycs, "*.pyc")))
    name = "depyf functions" if peer.what == "functions" else peer.name
    key = (peer.reads, peer.what)
    if key not in ours:
        own = "depyf functions" if peer.what == "functions" else "depyf"
        own_rows = rows(sys.executable, own, paths, folder)
        ours[key] = managed(own_rows, reader)
        own_share[key] = "%d of %d" % (len(ours[key]), len(own_rows))
    found = rows(python, name, paths, folder)
    theirs = managed(found, reader)
    ratios = sorted(theirs[file] / max(ours[key][file], 1e-6) for file in theirs if file in ours[key])
    share = "%d of %d" % (len(theirs), len(found) if peer.what == "functions" else len(paths))
    if not ratios:
        return "%s | | " % share
    return "%s | %s | %s - %s" % (share, _short(statistics.median(ratios)), _short(ratios[0]), _short(ratios[-1]))


def _short(ratio: float) -> str:
    return "%.1f" % ratio if ratio < 10 else "%d" % round(ratio)


if __name__ == "__main__":
    print(table("--quick" in sys.argv))
