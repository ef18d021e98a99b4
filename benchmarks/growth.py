"""Time and peak memory by the number of instructions in one function, and by how deep things are nested.

Each measurement is a process of its own.
"""

import dis
import json
import marshal
import os
import resource
import subprocess
import sys
import tempfile
import time
import types
from typing import Any, List

SIZES = [1000, 10000, 100000]
DEPTHS = [5, 10, 20, 80]
SHAPES = ["assignments", "calls", "branches", "loops", "tries", "elif chain"]
NESTED = ["if", "for", "try", "def", "parentheses"]


def source(shape: str, size: int) -> str:
    """A module with one function; `size`: repetitions or depth."""
    if shape == "assignments":
        return "def f(a, b):\n" + "    a = b + 1\n    b = a * 2\n" * size
    if shape == "calls":
        return "def f(a, b):\n" + "    a.method(b, key=[a, b])[0].x = {'a': b}\n" * size
    if shape == "branches":
        return "def f(a, b):\n" + "    if a and b or a.c:\n        a = g(b)\n    else:\n        b = a\n" * size
    if shape == "loops":
        return "def f(a):\n" + "    for x in a:\n        if x:\n            continue\n        print(x)\n" * size
    if shape == "tries":
        return (
            "def f(a):\n"
            + "    try:\n        a()\n    except E as e:\n        print(e)\n    finally:\n        b()\n" * size
        )
    if shape == "elif chain":
        return "def f(a):\n    if a == 0:\n        x()\n" + "    elif a == 1:\n        y()\n" * size
    head = {"if": "if a:", "for": "for x in a:", "try": "try:", "def": "def f%d(a):", "parentheses": ""}[shape]
    if shape == "parentheses":
        return "def f(a):\n    return " + "g(a, " * size + "1" + ")" * size + "\n"
    lines = ["def f(a):"]
    for depth in range(1, size + 1):
        lines.append("    " * depth + (head % depth if "%" in head else head))
    lines.append("    " * (size + 1) + "g(a)")
    if shape == "try":
        lines += ["    " * depth + "except E%d: h(a)" % depth for depth in range(size, 0, -1)]
    return "\n".join(lines) + "\n"


def instructions(code: types.CodeType) -> int:
    """Of the code object and of all in it."""
    inner = [value for value in code.co_consts if isinstance(value, types.CodeType)]
    return sum(1 for _ in dis.get_instructions(code)) + sum(map(instructions, inner))


def make(shape: str, size: int, path: str) -> None:
    """Writes the marshalled code object and prints its instructions; `size`: these, or depth for what is nested."""
    sys.setrecursionlimit(20000)
    if shape in SHAPES:
        one = instructions(compile(source(shape, 20), "x", "exec")) / 20
        size = max(1, int(size / one))
    try:
        code = compile(source(shape, size), "x", "exec", dont_inherit=True)
    except (SyntaxError, RecursionError, MemoryError):
        print("null")
        return
    with open(path, "wb") as stream:
        marshal.dump(code, stream)
    print(instructions(code))


def measure(path: str) -> None:
    """Prints seconds, megabytes that the peak rises by, and stubs. This process has done nothing else."""
    from depyf import _engine

    with open(path, "rb") as stream:
        data = stream.read()
    before = peak()
    start = time.process_time()
    result = _engine.decompile(_engine.from_bytes(data))
    seconds = time.process_time() - start
    after = peak()
    failed = sum(verdict == "failed" for _, verdict, *_ in result.codes)
    print(json.dumps([seconds, after - before, failed]))


def peak() -> float:
    """Megabytes. ru_maxrss begins with what the parent had, so Linux is asked for this program's own."""
    try:
        with open("/proc/self/status") as stream:
            return next(int(line.split()[1]) for line in stream if line.startswith("VmHWM:")) / 1024.0
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def row(shape: str, size: int) -> Any:
    """None: CPython does not compile it. A string: what became of us."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "code")
        made = subprocess.run([sys.executable, __file__, shape, str(size), path], stdout=subprocess.PIPE)
        if made.returncode != 0 or json.loads(made.stdout.decode()) is None:
            return None
        try:
            done = subprocess.run([sys.executable, __file__, path], stdout=subprocess.PIPE, timeout=300)
        except subprocess.TimeoutExpired:
            return "over 300 s"
    return json.loads(done.stdout.decode()) if done.returncode == 0 else "died (%d)" % done.returncode


def cell(found: Any) -> str:
    """`12 ms, 30 MB`"""
    if found is None:
        return "-"
    if isinstance(found, str):
        return found
    seconds, megabytes, failed = found
    text = "%.3g ms, %.0f MB" % (1e3 * seconds, megabytes)
    return text + (", %d stubs" % failed if failed else "")


def lines(names: List[str], sizes: List[int]) -> str:
    """Rows of a table."""
    return "".join("| %s | %s |\n" % (name, " | ".join(cell(row(name, size)) for size in sizes)) for name in names)


def table(quick: bool) -> str:
    """Markdown."""
    sizes = SIZES[:2] if quick else SIZES
    depths = DEPTHS[:2] if quick else DEPTHS
    text = "Growth: one function of so many instructions. Time with proof; memory is what the peak rises by.\n\n"
    text += "| function of | %s |\n" % " | ".join("%d instructions" % size for size in sizes)
    text += "|---|" + "---|" * len(sizes) + "\n" + lines(SHAPES, sizes)
    text += "\n| nested (-: CPython has a limit below) | %s |\n" % " | ".join("%d deep" % depth for depth in depths)
    return text + "|---|" + "---|" * len(depths) + "\n" + lines(NESTED, depths)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        make(sys.argv[1], int(sys.argv[2]), sys.argv[3])
    elif len(sys.argv) == 2 and sys.argv[1] != "--quick":
        measure(sys.argv[1])
    else:
        print(table("--quick" in sys.argv))
