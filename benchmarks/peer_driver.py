"""Runs inside the environment of one decompiler: python peer_driver.py NAME OUT FILE...

Decompiles each .pyc file after a first one for warming up, in this process. A JSON line each into OUT: file, seconds of
processor time, text or null. NAME "depyf functions" takes the function code objects of the files one by one.
"""

import io
import json
import marshal
import os
import signal
import sys
import time
import types

LIMIT = 10  # seconds a file
FUNCTIONS = 40  # a file, at most


def load(name):
    """A function from a path to text."""
    if name == "depyf":
        import depyf

        return depyf.decompile
    if name == "pycdecompile":
        import pycdecompiler

        return pycdecompiler.decompile_file
    if name in ("uncompyle6", "decompyle3"):
        module = __import__(name + ".main", fromlist=["decompile_file"])

        def run(path):
            out = io.StringIO()
            module.decompile_file(path, outstream=out)
            return out.getvalue()

        return run
    if name == "depyo":
        import depyo  # noqa: F401
        from depyo.pyc_decompiler import PycDecompiler
        from depyo.pyc_reader import PycReader

        def run_depyo(path):
            with open(path, "rb") as f:
                decompiler = PycDecompiler(PycReader(f.read()).ReadObject())
            tree = decompiler.decompile()
            if decompiler.errors:
                raise ValueError(decompiler.errors)
            return str(tree.codeFragment())

        return run_depyo
    raise SystemExit("no such decompiler: " + name)


def late(*_):
    raise TimeoutError


def timed(work, what):
    signal.signal(signal.SIGALRM, late)
    signal.alarm(LIMIT)
    start = time.process_time()
    try:
        text = work(what)
    except (Exception, SystemExit):
        text = None
    finally:
        signal.alarm(0)
    return time.process_time() - start, text


def functions(path):
    """Code objects of functions without free variables; these files are this interpreter's own library."""
    with open(path, "rb") as f:
        waiting = [marshal.loads(f.read()[16:])]
    found = []
    while waiting:
        code = waiting.pop()
        if code.co_flags & 1 and not code.co_freevars and not code.co_name.startswith("<"):
            found.append(code)
        waiting += [value for value in code.co_consts if isinstance(value, types.CodeType)]
    return found[:FUNCTIONS]


def main(name, out, paths):
    by_function = name == "depyf functions"
    work = load(name.split()[0])
    with open(out, "w") as rows:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # some talk a lot
        os.dup2(1, 2)
        warm = False
        for path in paths:
            for number, what in enumerate(functions(path) if by_function else [path]):
                if not warm:
                    timed(work, what)
                    warm = True
                seconds, text = timed(work, what)
                label = "%s %d" % (path, number) if by_function else path
                rows.write(json.dumps({"file": label, "seconds": seconds, "text": text}) + "\n")
                rows.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
