"""Every case, and a sample of every standard library, through the decompiler and back through that version's compiler.

The sample's counts of code objects that come back the same may only rise: `ratchet.json`. To raise it:
python tests/roundtrip/test_roundtrip.py
"""

import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from conftest import VERSIONS, interpreter  # noqa: E402

from depyf import same_code  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(os.path.dirname(HERE), "cases")
RATCHET = os.path.join(HERE, "ratchet.json")
EVERY = 24  # one file in so many of the standard library

COMPILE = """
import importlib.util, marshal, sys
for line in sys.stdin:
    source, target = line.rstrip("\\n").split("\\t")
    try:
        with open(source, "rb") as f:
            code = compile(f.read(), source, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError):
        continue
    with open(target, "wb") as f:
        f.write(importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code))
"""


def number(version):
    return tuple(map(int, version.split(".")))


def wanted(path, version):
    """Whether the case's first line, `# versions: 3.8-` or `# versions: 3.8-3.11`, names this version."""
    with open(path, encoding="utf-8") as f:
        found = re.match(r"# versions: (\d+\.\d+)-(\d+\.\d+)?", f.readline())
    assert found, "%s: the first line must be `# versions: ...`" % path
    return number(found[1]) <= number(version) <= number(found[2] or "9.9")


def case_files(version):
    paths = [os.path.join(root, name) for root, _, names in os.walk(CASES) for name in names if name.endswith(".py")]
    return sorted(path for path in paths if wanted(path, version))


def library_files(python):
    lib = subprocess.check_output(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"], universal_newlines=True
    ).strip()
    files = []
    for root, folders, names in os.walk(lib):
        folders[:] = sorted(f for f in folders if f not in ("test", "tests", "site-packages", "idle_test", "lib2to3"))
        files += [os.path.join(root, name) for name in sorted(names) if name.endswith(".py")]
    return files[::EVERY]


def round_trip(python, files, folder):
    """Rows as depyf/same_code.py prints them, one a file."""
    import depyf

    pycs, sources = os.path.join(str(folder), "pyc"), os.path.join(str(folder), "py")
    os.makedirs(pycs)
    os.makedirs(sources)
    jobs = "".join("%s\t%s\n" % (path, os.path.join(pycs, "%04d.pyc" % i)) for i, path in enumerate(files))
    subprocess.run([python, "-W", "ignore", "-c", COMPILE], input=jobs, check=True, text=True)
    for name in os.listdir(pycs):
        with open(os.path.join(sources, name[:-1]), "w", encoding="utf-8") as f:
            f.write(depyf.decompile(os.path.join(pycs, name)))
    out = subprocess.check_output([python, same_code.__file__, pycs, sources], universal_newlines=True)
    rows = [json.loads(line) for line in out.splitlines()]
    for row in rows:
        row["path"] = files[int(row["file"][:4])]
    return rows


def test_cases(python_version, tmp_path):
    version, python = python_version
    rows = round_trip(python, case_files(version), tmp_path)
    assert rows
    different = [(row["path"], row["different"]) for row in rows if row["different"]]
    assert not different


def test_standard_library_sample(python_version, tmp_path):
    version, python = python_version
    rows = round_trip(python, library_files(python), tmp_path)
    same, total = sum(row["same"] for row in rows), sum(row["total"] for row in rows)
    with open(RATCHET) as f:
        least = json.load(f)[version]
    assert 100.0 * same / total >= least, [row["different"] for row in rows if row["different"]]


def test_comparison_tells_near_misses_apart():
    def differ(a, b):
        return any(what for _, what in same_code.compare(compile(a, "a", "exec"), compile(b, "b", "exec")))

    for a, b in [
        ("x = 1", "x = 1.0"),
        ("x = 0.0", "x = -0.0"),
        ("x = a and b or c", "x = a and (b or c)"),
        ("f(x=1, y=2)", "f(y=2, x=1)"),
        ("for i in x: pass\nelse: y", "for i in y: pass\nelse: x"),
        ("try: a()\nexcept E: b()", "try: a()\nexcept F: b()"),
        ("try: a(); b()\nexcept E: c()", "try: a()\nexcept E: c()\nelse: b()"),
        ("def f(a=1): pass", "def f(a=2): pass"),
        ("def f():\n 'doc'", "def f():\n 'dod'"),
        ("def f():\n yield", "def f():\n pass"),
    ]:
        assert differ(a, b), (a, b)
    for a, b in [
        ("def f(a):\n if a: return 1\n return 2", "def f(a):\n if not a: return 2\n return 1"),
        ("def f(a):\n if a:\n  if b: c()", "def f(a):\n if a and b: c()"),
    ]:
        assert not differ(a, b), (a, b)


def raise_ratchet():
    import tempfile

    with open(RATCHET) as f:
        least = json.load(f)
    for version in VERSIONS:
        python = interpreter(version)
        if python is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows = round_trip(python, library_files(python), folder)
        same, total = sum(row["same"] for row in rows), sum(row["total"] for row in rows)
        now = int(10000.0 * same / total) / 100.0
        print(version, same, total, now)
        least[version] = max(least.get(version, 0), now)
    with open(RATCHET, "w") as f:
        json.dump(least, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    raise_ratchet()
