"""Archives: zip, wheel, egg, zipapp, PyInstaller. All of it is read, none of it is run."""

import ast
import io
import json
import os
import pathlib
import struct
import sys
import zipfile
from typing import Any, Dict

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import SOURCE, compiled, depyf_command  # noqa: E402
from data import make_pyinstaller  # noqa: E402

PROGRAM = pathlib.Path(__file__).parent / "data" / "program.pkg"


def tree_of(folder: pathlib.Path) -> Dict[str, str]:
    """Syntax trees by relative path."""
    return {path.relative_to(folder).as_posix(): ast.dump(ast.parse(path.read_text())) for path in folder.rglob("*.py")}


def trees(sources: Dict[str, str]) -> Dict[str, str]:
    return {name: ast.dump(ast.parse(text)) for name, text in sources.items()}


def zipped(path: pathlib.Path, members: Dict[str, bytes]) -> pathlib.Path:
    with zipfile.ZipFile(str(path), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


@pytest.fixture
def pyc(tmp_path: pathlib.Path) -> bytes:
    return compiled(tmp_path / "made" / "m.pyc").read_bytes()


@pytest.mark.parametrize("ending", ["zip", "whl", "egg", "pyz", "anything"])
def test_zip_keeps_the_tree(ending: str, pyc: bytes, tmp_path: pathlib.Path) -> None:
    archive = zipped(tmp_path / ("a." + ending), {"m.pyc": pyc, "pkg/sub/n.pyc": pyc, "pkg/data.txt": b"x"})
    done = depyf_command("decompile", archive, "-o", tmp_path / "out")
    assert done.returncode in (0, 1), done.stderr
    assert tree_of(tmp_path / "out") == trees({"m.py": SOURCE, "pkg/sub/n.py": SOURCE})


def test_zipapp_with_a_line_in_front(pyc: bytes, tmp_path: pathlib.Path) -> None:
    archive = zipped(tmp_path / "a.zip", {"__main__.pyc": pyc})
    program = tmp_path / "program"
    program.write_bytes(b"#!/usr/bin/env python3\n" + archive.read_bytes())
    depyf_command("decompile", program, "-o", tmp_path / "out")
    assert tree_of(tmp_path / "out") == trees({"__main__.py": SOURCE})


def test_archives_in_a_folder_and_in_archives(pyc: bytes, tmp_path: pathlib.Path) -> None:
    inner = zipped(tmp_path / "inner.whl", {"m.pyc": pyc}).read_bytes()
    (tmp_path / "in" / "dist").mkdir(parents=True)
    zipped(tmp_path / "in" / "dist" / "outer.zip", {"wheels/inner.whl": inner, "top.pyc": pyc})
    depyf_command("decompile", tmp_path / "in", "-o", tmp_path / "out")
    found = tree_of(tmp_path / "out")
    assert found == trees({"dist/outer.zip/wheels/inner.whl/m.py": SOURCE, "dist/outer.zip/top.py": SOURCE})


def test_no_member_leaves_the_output_folder(pyc: bytes, tmp_path: pathlib.Path) -> None:
    names = ["../../evil.pyc", "/abs.pyc", "C:\\win.pyc", "a/../../b.pyc", "nul\x01.pyc", "...pyc"]
    archive = zipped(tmp_path / "a.zip", {name: pyc for name in names})
    before = {path for path in tmp_path.rglob("*")}
    depyf_command("decompile", archive, "-o", tmp_path / "deep" / "out")
    new = {path for path in tmp_path.rglob("*.py")} - before
    assert len(new) == len(names)
    assert all(tmp_path / "deep" / "out" in path.parents for path in new)


def test_names_cannot_write_to_the_terminal(tmp_path: pathlib.Path) -> None:
    archive = zipped(tmp_path / "a.zip", {"\x1b[31mred\nline.pyc": b"nothing", "b.pyc": b"nothing"})
    done = depyf_command("decompile", archive)
    assert done.returncode == 2 and b"\x1b" not in done.stderr + done.stdout
    assert len(done.stderr.splitlines()) == 3  # one for each, and the summary


def test_names_that_meet_get_a_number(pyc: bytes, tmp_path: pathlib.Path) -> None:
    archive = zipped(tmp_path / "a.zip", {"m.pyc": pyc, "./m.pyc": pyc})
    depyf_command("decompile", archive, "-o", tmp_path / "out")
    assert set(tree_of(tmp_path / "out")) == {"m.py", "m_2.py"}


def test_a_bad_member_costs_itself_only(pyc: bytes, tmp_path: pathlib.Path) -> None:
    archive = zipped(tmp_path / "a.zip", {"a.pyc": pyc, "b.pyc": b"\0" * 40, "c.pyc": pyc, "broken.whl": b"PK\3\4 no"})
    done = depyf_command("decompile", archive, "-o", tmp_path / "out", "--format", "json")
    assert done.returncode == 2
    assert set(tree_of(tmp_path / "out")) == {"a.py", "c.py"}
    errors = {entry["input"].split(":")[-1]: entry["error"] for entry in json.loads(done.stdout.decode())["files"]}
    assert errors["b.pyc"]["message"].startswith("expected") and errors["broken.whl"]["message"].startswith("expected")
    assert errors["a.pyc"] is None and errors["c.pyc"] is None


def test_a_member_that_unfolds_to_too_much(pyc: bytes, tmp_path: pathlib.Path) -> None:
    archive = zipped(tmp_path / "a.zip", {"bomb.pyc": pyc[:16] + b"\0" * (1 << 20), "m.pyc": pyc})
    done = depyf_command("decompile", archive, "-o", tmp_path / "out", "--max-file-size", 1 << 16)
    assert done.returncode == 2 and b"expected at most 65536 bytes" in done.stderr
    assert set(tree_of(tmp_path / "out")) == {"m.py"}


def test_archive_without_bytecode(tmp_path: pathlib.Path) -> None:
    done = depyf_command("decompile", zipped(tmp_path / "a.whl", {"m.py": b"x = 1"}), "-o", tmp_path / "out")
    assert done.returncode == 2 and b"no bytecode in" in done.stderr


def test_bytecode_that_holds_the_marks_of_archives(tmp_path: pathlib.Path) -> None:
    source = "A = %r\nB = %r\n" % (b"PK\5\6" + bytes(18), b"MEI\014\013\012\013\016" + bytes(80))
    pyc = compiled(tmp_path / "m.pyc", source)
    depyf_command("decompile", pyc, "-o", tmp_path / "out")
    assert tree_of(tmp_path / "out") == trees({"m.py": source})


def pyinstaller_trees() -> Dict[str, str]:
    return trees(
        {name.replace("library", "base_library.zip/library"): text for name, text in make_pyinstaller.SOURCES.items()}
    )


@pytest.mark.parametrize(
    "before, behind", [(b"", b""), (b"\x7fELF" + b"code" * 99, b""), (b"MZ" * 999, b"signature" * 999)]
)
def test_pyinstaller(before: bytes, behind: bytes, tmp_path: pathlib.Path) -> None:
    program = tmp_path / "program.exe"
    program.write_bytes(before + PROGRAM.read_bytes() + behind)
    done = depyf_command("decompile", program, "-o", tmp_path / "out")
    assert done.returncode in (0, 1), done.stderr
    assert tree_of(tmp_path / "out") == pyinstaller_trees()
    assert b"guessed" not in done.stderr


def test_pyz_alone(tmp_path: pathlib.Path) -> None:
    data = PROGRAM.read_bytes()
    assert data.startswith(b"PYZ\0")
    (tmp_path / "PYZ-00.pyz").write_bytes(
        data[: -struct.calcsize("!8sIIII64s")]
    )  # no cookie: a PYZ with rubbish behind
    depyf_command("decompile", tmp_path / "PYZ-00.pyz", "-o", tmp_path / "out")
    assert set(tree_of(tmp_path / "out")) == {"helper.py", "pkg/__init__.py", "pkg/inner.py"}


def test_pyinstaller_cut_off_or_changed(tmp_path: pathlib.Path) -> None:
    data = bytearray(PROGRAM.read_bytes())
    cut = tmp_path / "cut.exe"
    cut.write_bytes(data[100:])
    done = depyf_command("decompile", cut, "-o", tmp_path / "out")
    assert (
        done.returncode == 2
        and b"cut.exe: expected a PyInstaller archive of" in done.stderr
        and b"at byte" in done.stderr
    )
    start = data.index(b"PYZ\0") + 12
    data[start : start + 40] = bytes(40)  # the first module
    changed = tmp_path / "changed.exe"
    changed.write_bytes(bytes(data))
    done = depyf_command("decompile", changed, "-o", tmp_path / "out")
    assert done.returncode == 2 and b"helper.pyc: expected data compressed by zlib" in done.stderr
    assert set(tree_of(tmp_path / "out")) == set(pyinstaller_trees()) - {"helper.py"}


def test_damaged_archives_end_in_a_message(tmp_path: pathlib.Path) -> None:
    """Every byte of the archive changed: members are read or refused, and nothing else happens."""
    from contextlib import ExitStack

    from depyf.inputs.entries import _members, _of_members

    data = PROGRAM.read_bytes()
    refused = 0
    for position in range(len(data)):
        for value in (0, 0xFF, data[position] ^ 1):
            changed = data[:position] + bytes([value]) + data[position + 1 :]
            with ExitStack():
                try:
                    members = _members(io.BytesIO(changed))
                    for entry in _of_members(members or iter(()), "x", "", 1 << 20, 1):
                        try:
                            entry.read()
                        except ValueError:
                            refused += 1
                except ValueError:
                    refused += 1
    assert refused > len(data)


def test_program_without_python(tmp_path: pathlib.Path) -> None:
    (tmp_path / "tool").write_bytes(b"\x7fELF" + bytes(5000))
    done: Any = depyf_command("decompile", tmp_path / "tool")
    assert done.returncode == 2 and b"found none" in done.stderr
