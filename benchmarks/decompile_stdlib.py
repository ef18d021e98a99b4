"""How long the standard library of this Python takes: CPython's compiler, our decompiler with and without the proof.

One thread, files in memory; the compiler's time is the yardstick.
"""

import marshal
import pathlib
import sys
import sysconfig
import time
from typing import Callable, List

from depyf import _engine


def measured(work: Callable[[], object]) -> float:
    """Seconds of processor time."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main(limit: int) -> int:
    """Prints the figures; exit status 0."""
    root = pathlib.Path(sysconfig.get_paths()["stdlib"])
    files = [
        path
        for path in sorted(root.rglob("*.py"))
        if not {"test", "tests", "site-packages", "lib2to3"} & set(path.parts)
    ]
    sources, codes = [], []
    for path in files[:limit]:
        source = path.read_bytes()
        try:
            codes.append(marshal.dumps(compile(source, str(path), "exec", dont_inherit=True)))
        except (SyntaxError, ValueError):
            continue
        sources.append(source)
    compiling = measured(lambda: [compile(source, "x", "exec", dont_inherit=True) for source in sources])
    read: List[_engine.Code] = []
    reading = measured(lambda: read.extend(_engine.from_bytes(code) for code in codes))
    plain = measured(lambda: [_engine.decompile(code, True, False).source for code in read])
    proved = measured(lambda: [_engine.decompile(code, True, True).source for code in read])
    print("%d files, %d bytes of bytecode, Python %s" % (len(read), sum(map(len, codes)), sys.version.split()[0]))
    for name, seconds in (
        ("compile", compiling),
        ("read", reading),
        ("decompile", plain),
        ("decompile and prove", proved),
    ):
        print(
            "%-20s %8.3f s   %5.2f of compile   %6.2f ms/file"
            % (name, seconds, seconds / compiling, 1e3 * seconds / len(read))
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10**6))
