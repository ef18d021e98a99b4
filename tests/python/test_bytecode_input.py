"""Bytes that are no whole .pyc file: no header, a wrong or cut-off one, damage inside. And the limits."""

import ast
import io
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import SOURCE, compiled, depyf_command  # noqa: E402

import depyf  # noqa: E402
from depyf.inputs import bytecode  # noqa: E402

# Enough of the language that every version leaves its own traces.
TELLING = """
import os

def f(xs, *, key=None):
    with open(os.devnull) as stream:
        for x in xs:
            try:
                yield from g(x, *xs, key=key)
            except (ValueError, TypeError) as error:
                print("no", error, file=stream)
            finally:
                key = {**key, "x": [x is y for y in xs if y not in key]}

class A:
    attribute = f

    async def method(self, other):
        async with other as something:
            return await something and self.attribute(other) < 3 < 4
"""


def same(text: str, wanted: str) -> bool:
    return ast.dump(ast.parse(text)) == ast.dump(ast.parse(wanted))


def number(version: str) -> Any:
    return tuple(map(int, version.split(".")))


def test_every_version_is_told_by_its_code(python_version: Any, tmp_path: pathlib.Path) -> None:
    version, python = python_version
    whole = compiled(tmp_path / "m.pyc", TELLING, python).read_bytes()
    for data in (whole[16:], bytes(16) + whole[16:], b"\x01\x02\r\n" + whole[4:], bytes(4) + whole[4:]):
        located = bytecode.locate(data)
        assert located.version == number(version)
        assert "guessed Python %s" % version in located.notes[0]
        assert same(depyf.decompile(data), depyf.decompile(whole))


def test_a_version_given_overrules(python_version: Any, tmp_path: pathlib.Path) -> None:
    version, python = python_version
    whole = compiled(tmp_path / "m.pyc", TELLING, python).read_bytes()
    wanted = depyf.decompile(whole)
    assert depyf.decompile(whole[16:], python=number(version)) == wanted
    other = (b"\x41\x0d" if version != "3.7" else b"\xa7\x0d") + whole[2:]  # the magic number of 3.7 or 3.11
    assert depyf.decompile(io.BytesIO(other), python=number(version)) == wanted


def test_headers_that_are_cut_off_or_odd(tmp_path: pathlib.Path) -> None:
    whole = compiled(tmp_path / "m.pyc").read_bytes()
    for data, note in [
        (whole[:4] + whole[16:], "found one of 4"),
        (whole[:8] + whole[16:], "found one of 8"),
        (whole[:4] + b"\xff" * 12 + whole[16:], "flags"),
    ]:
        assert note in bytecode.locate(data).notes[0]
        assert same(depyf.decompile(data), SOURCE)
    assert bytecode.locate(whole).notes == []


def test_newer_and_foreign_magic_numbers(tmp_path: pathlib.Path) -> None:
    whole = compiled(tmp_path / "m.pyc").read_bytes()
    newer = bytecode.locate((3750).to_bytes(2, "little") + whole[2:])
    assert newer.version == (3, 15) and "newer than Python 3.15" in newer.notes[0]
    for magic, name in [(3379, "Python 3.6"), (62211, "Python 2.7"), (240, "PyPy")]:
        head = magic.to_bytes(2, "little") + b"\r\n"
        with pytest.raises(ValueError, match="magic number %d of %s" % (magic, name)):
            bytecode.locate(head + bytes(12) + b"c" + bytes(60))
        note = bytecode.locate(head + whole[4:]).notes[0]  # only the number is wrong
        assert name in note and "guessed Python %d.%d" % sys.version_info[:2] in note


@pytest.mark.parametrize(
    "data, what",
    [
        (b"", "found nothing"),
        (b"x = 1\n", "found text that begins 'x = 1'"),
        (b"\xff\xfe\xfd" * 9, "found bytes ff fe fd"),
        (b"\xe3" + bytes(3), "found the end of the data"),
    ],
)
def test_what_is_no_bytecode_is_told_in_one_line(data: bytes, what: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "x").write_bytes(data)
    done = depyf_command("decompile", tmp_path / "x")
    text = done.stderr.decode()
    assert done.returncode == 2 and done.stdout == b""
    assert text.count("\n") == 1 and text.startswith(str(tmp_path / "x") + ": ") and what in text and "at byte" in text
    with pytest.raises(ValueError, match="at byte"):
        depyf.decompile(data)


NEIGHBOURS = """def first(a):
    return a + 1


def second(b):
    return b, 'd\u00e9j\u00e0'


def third(c):
    return c * 3
"""


def test_a_damaged_code_object_costs_itself(python_version: Any, tmp_path: pathlib.Path) -> None:
    """A constant of `second` is no UTF-8: the diagnostics say so, all else is there."""
    data = compiled(tmp_path / "m.pyc", NEIGHBOURS, python_version[1]).read_bytes()
    place = data.index("d\u00e9".encode()) + 1
    (tmp_path / "m.pyc").write_bytes(data[:place] + b"\xff" + data[place + 1 :])
    done = depyf_command("decompile", tmp_path / "m.pyc", "--format", "json")
    assert done.returncode == 1
    report = json.loads(done.stdout.decode())["files"][0]
    [diagnostic] = report["diagnostics"]
    assert diagnostic["code"] == "second"
    assert diagnostic["message"] == "expected UTF-8, found byte 255 (at byte %d of the file)" % place
    verdicts = {code["name"]: code["verdict"] for code in report["codes"]}
    assert [name for name, verdict in verdicts.items() if verdict == "failed"] == ["second"]
    found = ast.parse(report["source"]).body
    wanted = ast.parse(NEIGHBOURS).body
    assert [ast.dump(found[i]) for i in (0, 2)] == [ast.dump(wanted[i]) for i in (0, 2)]
    text = depyf_command("decompile", tmp_path / "m.pyc").stderr.decode()
    assert "m.pyc: second" in text and "at byte %d of the file" % place in text


def test_a_truncated_file_gives_what_was_whole(python_version: Any, tmp_path: pathlib.Path) -> None:
    data = compiled(tmp_path / "m.pyc", NEIGHBOURS, python_version[1]).read_bytes()
    end = data.index(b"third") - 1
    (tmp_path / "in").mkdir()
    for name, content in [("a.pyc", data), ("b.pyc", data[:end]), ("c.pyc", data), ("d.pyc", data[:20])]:
        (tmp_path / "in" / name).write_bytes(content)
    done = depyf_command("decompile", tmp_path / "in", "-o", tmp_path / "out")
    assert done.returncode == 2
    for name in ("a.py", "c.py"):
        assert same((tmp_path / "out" / name).read_text(), NEIGHBOURS)
    names = [getattr(node, "name", "") for node in ast.parse((tmp_path / "out" / "b.py").read_text()).body]
    assert "first" in names and set(names) <= {"first", "second", "third"}
    assert not (tmp_path / "out" / "d.py").exists()
    lines = done.stderr.decode().splitlines()
    for name, size in (("b.pyc", end), ("d.pyc", 20)):
        [line] = [line for line in lines if name in line]
        assert "found the end of the data" in line and "at byte" in line
        assert int(line.rsplit("at byte ", 1)[1].rstrip(")")) <= size


def nested(depth: int) -> str:
    return "".join("    " * i + "def f%d():\n" % i for i in range(depth)) + "    " * depth + "pass\n"


def test_limits_are_diagnostics(tmp_path: pathlib.Path) -> None:
    pyc = compiled(tmp_path / "m.pyc", nested(12) + "def g(x):\n" + "    x = x + 1\n" * 400 + "    return x\n")
    for option, value, message in [
        ("--max-depth", 20, "expected at most 20 nested objects"),  # marshal nests two levels for each function
        ("--max-code-size", 2000, "the limit is 2000"),
        ("--max-objects", 20, "expected fewer objects"),
        ("--timeout", 1e-9, "the time limit is reached"),
    ]:
        done = depyf_command("decompile", pyc, option, value)
        assert done.returncode in (1, 2) and message in done.stderr.decode(), (option, done.stderr)
        if done.stdout:
            ast.parse(done.stdout.decode())
    result = depyf.decompilation(pyc, max_depth=5)
    assert {entry.message for entry in result.diagnostics} == {"code objects are nested too deeply: the limit is 5"}
    assert "def f0():" in result.source and "def g(x):" in result.source


DAMAGE = """
import random, sys
from depyf.batch.task import Settings, Task, run

with open(sys.argv[1], "rb") as f:
    data = f.read()
random.seed(15)
seen = set()
for _ in range(int(sys.argv[2])):
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4))):
        changed[random.randrange(16, len(data))] = random.choice((random.randrange(256), 0, 255, random.choice(data)))
    report = run(Task("x", bytes(changed), None, Settings(verify=False)))
    seen.add(report["status"])
    assert "internal error" not in repr((report["error"], report["diagnostics"])), report
assert len(seen) > 1, seen
"""


def test_damaged_bytes_end_in_a_report(python_version: Any, tmp_path: pathlib.Path) -> None:
    pyc = compiled(
        tmp_path / "m.pyc", TELLING + "print(f'{A!r:>{9}}', [*range(3)], {**{}}, -1 if f else (lambda: f)())\n"
    )
    pyc = compiled(tmp_path / "m.pyc", pyc.with_suffix(".py").read_text(), python_version[1])
    done = subprocess.run([sys.executable, "-c", DAMAGE, str(pyc), "300"], stderr=subprocess.PIPE, timeout=300)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
