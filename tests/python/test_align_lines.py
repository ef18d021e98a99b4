"""--align-lines: statements of the standard library are on the lines that they were on.

Asked of every statement whose line is in the line tables: docstrings of functions and declarations are in none.
"""

import json
import os
import subprocess
import sys
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "roundtrip"))
import test_roundtrip  # noqa: E402

import depyf  # noqa: E402

LEAST = 99.0  # per cent

# Run by the version in question, which knows its own grammar: pairs of lines for statements of the same kind.
COMPARE = """
import ast, dis, json, sys, types

def statements(body):
    for node in body:
        if isinstance(node, ast.stmt):
            yield node
        for field in ("body", "handlers", "cases", "orelse", "finalbody"):
            inner = getattr(node, field, [])
            yield from statements(inner if isinstance(inner, list) else [])

def is_known(node):
    if isinstance(node, ast.Expr) and isinstance(node.value, (ast.Constant, getattr(ast, "Str", ast.Constant))):
        return False
    return not isinstance(node, (ast.Pass, ast.Global, ast.Nonlocal))

def lines_of(code):
    found = {line for _, line in dis.findlinestarts(code)}
    for value in code.co_consts:
        if isinstance(value, types.CodeType):
            found |= lines_of(value)
    return found

for line in sys.stdin:
    original, decompiled = line.rstrip("\\n").split("\\t")
    trees = []
    for path in (original, decompiled):
        with open(path, "rb") as f:
            trees.append([node for node in statements(ast.parse(f.read()).body) if is_known(node)])
    with open(original, "rb") as f:
        known = lines_of(compile(f.read(), original, "exec", dont_inherit=True))
    if [type(node) for node in trees[0]] != [type(node) for node in trees[1]]:
        continue  # not written the same way: nothing to compare one by one
    for a, b in zip(*trees):
        if a.lineno in known:
            print(json.dumps([original, a.lineno, b.lineno]))
"""


def test_statements_are_on_their_lines(python_version: Any, tmp_path: Any) -> None:
    _, python = python_version
    files = test_roundtrip.library_files(python)
    jobs = "".join("%s\t%s\n" % (path, tmp_path / ("%d.pyc" % i)) for i, path in enumerate(files))
    subprocess.run([python, "-W", "ignore", "-c", test_roundtrip.COMPILE], input=jobs, check=True, text=True)
    pairs = []
    for index, original in enumerate(files):
        if (tmp_path / ("%d.pyc" % index)).exists():
            text = depyf.decompile(tmp_path / ("%d.pyc" % index), align_lines=True)
            (tmp_path / ("%d.py" % index)).write_bytes(text.encode("utf-8", "surrogatepass"))
            pairs.append("%s\t%s\n" % (original, tmp_path / ("%d.py" % index)))
    done = subprocess.run(
        [python, "-W", "ignore", "-c", COMPARE], input="".join(pairs), stdout=subprocess.PIPE, check=True, text=True
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    off = [row for row in rows if row[1] != row[2]]
    assert len(rows) > 300
    assert 100.0 * (len(rows) - len(off)) / len(rows) >= LEAST, off
