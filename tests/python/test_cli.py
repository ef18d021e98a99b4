"""The `depyf` command, as a process."""

import ast
import pathlib
import py_compile
import subprocess
import sys
from typing import Any

import pytest

import depyf


def depyf_command(*arguments: str, **options: Any) -> Any:
    return subprocess.run([sys.executable, "-m", "depyf", *arguments], capture_output=True, **options)


@pytest.fixture
def tree(tmp_path: pathlib.Path) -> pathlib.Path:
    """a.pyc, sub/b.pyc"""
    for name in ("a", "sub/b"):
        source = tmp_path / "src" / (name + ".py")
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text("def f(x):\n    return x + 1\n")
        py_compile.compile(str(source), cfile=str(tmp_path / "in" / (name + ".pyc")))
    return tmp_path


def test_version() -> None:
    assert depyf_command("--version").stdout.decode().split() == ["depyf", depyf.__version__]


def test_folder_keeps_the_tree(tree: pathlib.Path) -> None:
    done = depyf_command("decompile", str(tree / "in"), "-o", str(tree / "out"))
    assert done.returncode == 0, done.stderr
    for name in ("a", "sub/b"):
        wanted = ast.dump(ast.parse((tree / "src" / (name + ".py")).read_text()))
        assert ast.dump(ast.parse((tree / "out" / (name + ".py")).read_text())) == wanted
    assert b"2 files, 4 code objects" in done.stderr


def test_exit_status_when_all_is_proved(tree: pathlib.Path) -> None:
    assert depyf_command("decompile", str(tree / "in"), "-o", str(tree / "out")).returncode == 0
    assert depyf_command("decompile", str(tree / "in/a.pyc"), "-o", str(tree / "one.py")).returncode == 0


def test_goes_on_after_an_unreadable_file(tree: pathlib.Path) -> None:
    (tree / "in" / "0.pyc").write_bytes(b"\0" * 40)
    done = depyf_command("decompile", str(tree / "in"), "-o", str(tree / "out"))
    assert done.returncode == 2
    assert (tree / "out" / "a.py").exists() and not (tree / "out" / "0.py").exists()
    assert b"0.pyc: " in done.stderr


def test_one_file_and_standard_input(tree: pathlib.Path) -> None:
    text = depyf_command("decompile", str(tree / "in/a.pyc")).stdout
    assert b"def f(x):" in text
    with (tree / "in/a.pyc").open("rb") as stream:
        assert depyf_command("decompile", "-", stdin=stream).stdout == text
    done = depyf_command("decompile", str(tree / "in/a.pyc"), "-o", str(tree / "one.py"))
    assert done.returncode == 0, done.stderr
    assert (tree / "one.py").read_bytes() == text


def test_two_inputs_for_one_output(tree: pathlib.Path) -> None:
    done = depyf_command("decompile", str(tree / "in"), str(tree / "in"), "-o", str(tree / "out"))
    assert done.returncode == 2 and b"two inputs" in done.stderr


def test_dis(tree: pathlib.Path) -> None:
    done = depyf_command("dis", str(tree / "in/a.pyc"))
    assert done.returncode == 0 and b"RETURN_VALUE" in done.stdout


def test_wrong_usage() -> None:
    assert depyf_command().returncode == 2
    assert depyf_command("decompile").returncode == 2
    assert depyf_command("decompile", "/nonexistent.pyc").returncode == 2
