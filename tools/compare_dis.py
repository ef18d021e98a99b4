"""Compare the engine's reader and decoder with each interpreter's own `dis`, instruction by instruction.

    python3 tools/compare_dis.py --exe build/dis_json --python 3.7/bin/python --python python3.14 [--limit N] [files]

Each interpreter compiles its own standard library (or the files given), writes .pyc files, and compares what dis_json
prints for them with its own code objects: all names, numbers and constants of the code object; offset, opcode, operand,
what the operand selects, jump target and line (3.11+: all four positions) of each instruction; the exception table
(3.11+).
Prints counts per version and the first differences; exit status 1 where anything differs.
"""

import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

BATCH = 40  # files that one dis_json reads
SHOWN = 20  # differences that are printed per version


# --- the worker: runs in the interpreter that is compared with, 3.7 and later


def constant_json(value):
    """The same shape as json_constant() of tests/bytecode/dis_json.cpp."""
    kind = type(value).__name__
    if value is None or value is True or value is False or value is Ellipsis:
        return [repr(value), []]
    if kind == "int":
        return [kind, str(value)]
    if kind == "str":
        return [kind, value]
    if kind == "bytes":
        return [kind, value.hex()]
    if kind == "float":
        return [kind, struct.pack(">d", value).hex()]
    if kind == "complex":
        return [kind, struct.pack(">d", value.real).hex(), struct.pack(">d", value.imag).hex()]
    if kind == "code":
        return [kind, value.co_name]
    if kind == "frozenset":
        return [kind, sorted((constant_json(item) for item in value), key=json.dumps)]
    if kind == "slice":
        return [kind, [constant_json(item) for item in (value.start, value.stop, value.step)]]
    return [kind, [constant_json(item) for item in value]]


def order_sets(constant):
    """Orders the items of frozensets in what dis_json printed, as constant_json() does."""
    if len(constant) == 2 and isinstance(constant[1], list):
        items = [order_sets(item) for item in constant[1]]
        return [constant[0], sorted(items, key=json.dumps) if constant[0] == "frozenset" else items]
    return constant


def code_objects(code):
    waiting, seen = [code], set()
    while waiting:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        waiting.extend(c for c in reversed(current.co_consts) if hasattr(c, "co_code"))


def positions_of(code):
    """{offset: [line, end line, column, end column]}; 0 and -1 where there is none."""
    if hasattr(code, "co_positions"):
        return {
            2 * index: [line or 0, end_line or 0, -1 if column is None else column, -1 if end is None else end]
            for index, (line, end_line, column, end) in enumerate(code.co_positions())
        }
    if hasattr(code, "co_lines"):
        return {
            offset: [line or 0, line or 0, -1, -1]
            for start, end, line in code.co_lines()
            for offset in range(start, end, 2)
        }
    import dis

    found, line, starts = {}, 0, dict(dis.findlinestarts(code))
    for offset in range(0, len(code.co_code), 2):
        line = starts.get(offset, line)
        found[offset] = [line, line, -1, -1]
    return found


def jump_opcodes():
    import dis

    return set(dis.hasjrel) | set(dis.hasjabs)


def common_constant(index):
    """The expression for LOAD_COMMON_CONSTANT's operand, where `dis` prints the repr (<built-in function any>)."""
    import opcode

    value = opcode._common_constants[index]
    return value.__name__ if callable(value) else repr(value)


def expected_instructions(code, jumps, constants):
    """Rows as dis_json prints them; an operand of None: `dis` of this version does not say."""
    import dis

    positions = positions_of(code)
    start = None
    resolves = set(dis.hasname) | set(dis.haslocal) | set(dis.hasfree)
    comparisons = set(dis.hascompare)
    for ins in dis.get_instructions(code):
        start = ins.offset if start is None else start
        if ins.opcode == dis.EXTENDED_ARG:
            continue
        operand, target = ins.argrepr or None, -1
        if ins.opcode in jumps:
            operand, target = "", ins.argval
        elif ins.opcode in dis.hasconst:
            operand = constants[ins.arg]
        elif ins.opname == "LOAD_COMMON_CONSTANT":
            operand = common_constant(ins.arg)
        elif ins.opcode in resolves and isinstance(ins.argval, str) or ins.opcode in comparisons:
            operand = ins.argval
        yield [ins.offset, start, ins.opname, ins.arg, operand, target, positions[ins.offset]]
        start = None


def expected_code(code):
    flags = code.co_flags & 0xFFFFFFFF
    numbers = [
        code.co_argcount,
        getattr(code, "co_posonlyargcount", 0),
        code.co_kwonlyargcount,
        code.co_stacksize,
        flags,
        code.co_firstlineno,
    ]
    names = [list(code.co_names), list(code.co_varnames), list(code.co_cellvars), list(code.co_freevars)]
    return {
        "name": code.co_name,
        "qualname": getattr(code, "co_qualname", ""),
        "filename": code.co_filename,
        "numbers": numbers,
        "names": names,
    }


def expected_exceptions(code):
    import dis

    if not hasattr(code, "co_exceptiontable"):
        return []
    return [[e.start, e.end, e.target, e.depth, e.lasti] for e in dis._parse_exception_table(code)]


class Worker:
    def __init__(self, exe):
        self.exe = exe
        self.jumps = jump_opcodes()
        self.counts = dict.fromkeys(
            (
                "files",
                "files_agree",
                "codes",
                "codes_agree",
                "instructions",
                "instructions_agree",
                "operands",
                "skipped",
            ),
            0,
        )
        self.differences = []

    def differ(self, where, expected, found):
        if len(self.differences) < SHOWN:
            self.differences.append("%s: expected %.300r, found %.300r" % (where, expected, found))

    def compare_code(self, path, code, found):
        where = "%s:%d %s" % (path, code.co_firstlineno, code.co_name)
        agree = True
        for key, value in expected_code(code).items():
            if found.get(key) != value:
                agree = False
                self.differ("%s %s" % (where, key), value, found.get(key))
        constants = [order_sets(constant) for constant in found["consts"]]
        wanted = [constant_json(value) for value in code.co_consts]
        if constants != wanted:
            agree = False
            self.differ(where + " co_consts", wanted, constants)
        if found["exceptions"] != expected_exceptions(code):
            agree = False
            self.differ(where + " exception table", expected_exceptions(code), found["exceptions"])
        rows = list(expected_instructions(code, self.jumps, wanted))
        agree &= self.compare_rows(where, rows, found["instructions"])
        self.counts["codes"] += 1
        self.counts["codes_agree"] += agree
        return agree

    def compare_rows(self, where, expected, found):
        agreeing = 0
        for wanted, row in zip(expected, found):
            if isinstance(row[4], list):
                row[4] = order_sets(row[4])
            if wanted[4] is None:
                wanted[4] = row[4]
            elif wanted[4] != "":
                self.counts["operands"] += 1
            if wanted == row:
                agreeing += 1
            else:
                self.differ(where, wanted, row)
        self.counts["instructions"] += len(expected)
        self.counts["instructions_agree"] += agreeing
        if len(expected) != len(found):
            self.differ(where + " number of instructions", len(expected), len(found))
        return agreeing == len(expected) == len(found)

    def compile_batch(self, paths, folder):
        """[(path, code object, .pyc path)] of those that this interpreter can compile."""
        import importlib.util
        import marshal

        compiled = []
        for path in paths:
            try:
                with open(path, "rb") as source:
                    code = compile(source.read(), path, "exec", dont_inherit=True)
            except (SyntaxError, ValueError, RecursionError, OSError, MemoryError):
                self.counts["skipped"] += 1
                continue
            pyc = os.path.join(folder, "%d.pyc" % len(compiled))
            with open(pyc, "wb") as out:
                out.write(importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code))
            compiled.append((path, code, pyc))
        return compiled

    def compare_batch(self, paths):
        with tempfile.TemporaryDirectory() as folder:
            compiled = self.compile_batch(paths, folder)
            process = subprocess.Popen([self.exe] + [pyc for _, _, pyc in compiled], stdout=subprocess.PIPE)
            lines = (json.loads(line.decode("utf-8", "surrogatepass")) for line in process.stdout)
            agree = [True] * len(compiled)
            expected = (
                (index, path, code) for index, (path, root, _) in enumerate(compiled) for code in code_objects(root)
            )
            for index, path, code in expected:
                found = next(lines, {"file": index, "error": [-1, "no output"]})
                if "error" in found or found["file"] != index:
                    self.differ("%s %s" % (path, code.co_name), "a listing", found)
                    agree[index] = False
                    if found["file"] != index:
                        break
                    if "instructions" not in found and found["error"][1] == "no output":
                        break
                    continue
                agree[index] &= self.compare_code(path, code, found)
            process.stdout.close()
            if process.wait() != 0:
                self.differ("dis_json", "exit status 0", process.returncode)
            self.counts["files"] += len(compiled)
            self.counts["files_agree"] += sum(agree)


def run_worker(exe, list_file):
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    import warnings

    warnings.simplefilter("ignore")
    with open(list_file) as lines:
        paths = lines.read().splitlines()
    worker = Worker(exe)
    for start in range(0, len(paths), BATCH):
        worker.compare_batch(paths[start : start + BATCH])
    json.dump({"counts": worker.counts, "differences": worker.differences}, sys.stdout)


# --- the driver


def standard_library(python):
    script = "import sysconfig; print(sysconfig.get_paths()['stdlib'])"
    root = subprocess.check_output([python, "-c", script], universal_newlines=True).strip()
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in ("site-packages", "__pycache__")]
        found.extend(os.path.join(folder, name) for name in files if name.endswith(".py"))
    return sorted(found)


def version_of(python):
    return subprocess.check_output(
        [python, "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"], universal_newlines=True
    ).strip()


def compare(python, exe, files, jobs):
    """(counts, differences) of one interpreter over the files, spread over `jobs` processes."""
    with tempfile.TemporaryDirectory() as folder:
        running = []
        for job in range(jobs):
            list_file = os.path.join(folder, "list%d" % job)
            with open(list_file, "w") as out:
                out.write("\n".join(files[job::jobs]))
            running.append(
                subprocess.Popen(
                    [python, os.path.abspath(__file__), "--worker", exe, list_file], stdout=subprocess.PIPE
                )
            )
        counts, differences = {}, []
        for process in running:
            output = process.communicate()[0]
            if process.returncode != 0:
                raise SystemExit("%s: the comparison itself failed" % python)
            result = json.loads(output.decode())
            differences += result["differences"]
            for key, value in result["counts"].items():
                counts[key] = counts.get(key, 0) + value
    return counts, differences


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--exe", required=True, help="the dis_json executable")
    parser.add_argument("--python", action="append", required=True, help="an interpreter; may be repeated")
    parser.add_argument("--limit", type=int, help="take a random sample of so many files, the same on every run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("files", nargs="*", help="source files; default: the interpreter's standard library")
    options = parser.parse_args()
    failed = False
    for python in options.python:
        files = options.files or standard_library(python)
        if options.limit and options.limit < len(files):
            files = sorted(random.Random(0).sample(files, options.limit))
        counts, differences = compare(python, os.path.abspath(options.exe), files, options.jobs)
        print(
            "%s: files %d of %d agree (%d do not compile), code objects %d of %d, instructions %d of %d, "
            "resolved operands compared %d"
            % (
                version_of(python),
                counts["files_agree"],
                counts["files"],
                counts["skipped"],
                counts["codes_agree"],
                counts["codes"],
                counts["instructions_agree"],
                counts["instructions"],
                counts["operands"],
            ),
            flush=True,
        )
        for difference in differences[:SHOWN]:
            print("  " + difference)
        failed = failed or bool(differences)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--worker":
        run_worker(sys.argv[2], sys.argv[3])
    else:
        sys.exit(main())
