"""--format json, --line-map, --asm, cfg, info, verify, %decompile."""

import ast
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Any

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import compiled, depyf_command, status_of  # noqa: E402

import depyf  # noqa: E402

SOURCE = '''"""Doc
string."""
import os


def f(x, y=[n for n in range(3)]):
    """Inner."""
    try:
        return sorted(x, key=lambda e: -e)
    finally:
        print(x)


class A:
    """A class."""

    def g(self):
        while self:
            yield self
'''


def test_json(tmp_path: pathlib.Path) -> None:
    pyc = compiled(tmp_path / "m.pyc", SOURCE)
    done = depyf_command("decompile", pyc, "--format", "json", "--line-map")
    document = json.loads(done.stdout.decode("ascii"))
    [report] = document["files"]
    assert done.returncode == status_of(report)
    assert report["source"] == depyf.decompile(pyc)
    assert report["python"] == "%d.%d" % sys.version_info[:2]
    assert report["error"] is None and report["notes"] == []
    assert {code["name"] for code in report["codes"]} >= {"<module>", "f", "A", "A.g"}
    assert document["summary"]["files"] == 1
    assert sum(document["summary"][verdict] for verdict in depyf.decompilation(pyc).counts()) == len(report["codes"])


def test_json_of_several_with_output(tmp_path: pathlib.Path) -> None:
    for name in ("a", "b"):
        compiled(tmp_path / "in" / (name + ".pyc"), SOURCE)
    (tmp_path / "in" / "c.pyc").write_bytes(b"")
    done = depyf_command("decompile", tmp_path / "in", "-o", tmp_path / "out", "--format", "json", "--line-map")
    reports = json.loads(done.stdout.decode())["files"]
    assert done.returncode == 2 and max(map(status_of, reports)) == 2
    assert [report["output"] and os.path.basename(report["output"]) for report in reports] == ["a.py", "b.py", None]
    rows = json.loads((tmp_path / "out" / "a.py.map.json").read_text())
    assert rows and {"code", "name", "offset", "line", "original_line", "original_column"} == set(rows[0])


def test_line_map_leads_from_instructions_to_lines_and_back(python_version: Any, tmp_path: pathlib.Path) -> None:
    pyc = compiled(tmp_path / "m.pyc", SOURCE, python_version[1])
    result = depyf.decompilation(pyc)
    lines = result.source.split("\n")
    names = [code.qualname for code in result.codes]
    for name, text in [("f", "return sorted"), ("A.g", "yield self"), ("f.<locals>.<lambda>", "lambda")]:
        index = next(i for i, found in enumerate(names) if found in (name, name.replace("<locals>.", "")))
        mapped = {entry.line for entry in result.line_map if entry.code == index}
        assert any(text in lines[line - 1] for line in mapped), name
    for entry in result.line_map:
        assert (entry.code, entry.offset) in result.instructions_on(entry.line)
        assert result.line_of(entry.offset, entry.code) is not None
        assert any(instruction.offset == entry.offset for instruction in result.instructions(entry.code))
    assert result.line_map == sorted(set(result.line_map))


def test_line_map_agrees_with_the_compiler(tmp_path: pathlib.Path) -> None:
    """Aligned, the lines of the map are those of the line table."""
    pyc = compiled(tmp_path / "m.pyc", "def f(a):\n\n\n    b = a + 1\n\n    return b\n")
    result = depyf.decompilation(pyc, align_lines=True)
    original = {(code, i.offset): i.line for code in (0, 1) for i in result.instructions(code)}
    checked = [entry for entry in result.line_map if entry.code == 1]
    assert {entry.line for entry in checked} == {4, 6}
    assert all(original[entry.code, entry.offset] == entry.line for entry in checked)


def test_line_map_as_comments(tmp_path: pathlib.Path) -> None:
    pyc = compiled(tmp_path / "m.pyc", SOURCE)
    text = depyf_command("decompile", pyc, "--line-map").stdout.decode()
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(SOURCE))
    numbers = [int(found) for found in re.findall(r"^# line (\d+): ", text, re.M)]
    assert numbers == sorted(numbers)
    first = text.split("\n")[numbers[-1] - 1]
    assert first.strip() and not first.startswith("#")


def test_asm_is_the_same_program(python_version: Any, tmp_path: pathlib.Path) -> None:
    pyc = compiled(tmp_path / "m.pyc", SOURCE, python_version[1])
    plain = depyf.decompile(pyc)
    text = depyf_command("decompile", pyc, "--asm").stdout.decode()
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(plain))
    shown = re.findall(r"# +(\d+) ([A-Z_0-9]+)", text)
    result = depyf.decompilation(pyc)
    wanted = {
        (e.offset, i.opname) for e in result.line_map for i in result.instructions(e.code) if i.offset == e.offset
    }
    assert {(int(offset), name) for offset, name in shown} == wanted


def test_to_ast_is_the_tree_of_the_text(tmp_path: pathlib.Path) -> None:
    pyc = compiled(tmp_path / "m.pyc", SOURCE)
    for options in ({}, {"align_lines": True}):
        wanted = ast.dump(ast.parse(depyf.decompile(pyc, **options)), include_attributes=True)
        assert ast.dump(depyf.to_ast(pyc, **options), include_attributes=True) == wanted
        assert ast.dump(depyf.decompilation(pyc, **options).to_ast(), include_attributes=True) == wanted
    assert isinstance(depyf.to_ast(Shell.ev).body[0], ast.FunctionDef)


def test_cfg(python_version: Any, tmp_path: pathlib.Path) -> None:
    pyc = compiled(tmp_path / "m.pyc", SOURCE, python_version[1])
    done = depyf_command("cfg", pyc, "--code", "f", "-o", tmp_path / "f.dot")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "f.dot").read_text()
    assert text.startswith("digraph") and text.count("{") == text.count("}")
    nodes = set(re.findall(r"^ +(b\d+_\d+) \[label", text, re.M))
    edges = re.findall(r"^ +(b\d+_\d+) -> (b\d+_\d+)", text, re.M)
    assert len(nodes) > 2 and edges
    assert {node for edge in edges for node in edge} <= nodes
    assert 'color="red"' in text  # the handler that is the finally clause
    reached, todo = set(), ["b0_0"]
    while todo:
        node = todo.pop()
        if node not in reached:
            reached.add(node)
            todo += [target for source, target in edges if source == node]
    assert any("print" in line for line in text.split("\n") if line.split()[:1] and line.split()[0] in reached)
    assert depyf_command("cfg", pyc, "--code", "nothing").returncode == 2


def test_cfg_as_svg(tmp_path: pathlib.Path) -> None:
    pyc = compiled(tmp_path / "m.pyc", SOURCE)
    done = depyf_command("cfg", pyc, "-o", tmp_path / "m.svg")
    if shutil.which("dot") is None:
        assert done.returncode == 2 and b"Graphviz" in done.stderr and not (tmp_path / "m.svg").exists()
    else:
        assert done.returncode == 0 and b"<svg" in (tmp_path / "m.svg").read_bytes()


def test_svg_through_a_dot_program(tmp_path: pathlib.Path) -> None:
    """What is called `dot` gets the graph and the format; its output is what is written."""
    fake = tmp_path / "bin" / "dot"
    fake.parent.mkdir()
    fake.write_text(
        "#!%s\nimport sys\nprint('<svg>', sys.argv[1], len(sys.stdin.read()) > 99, '</svg>')\n" % sys.executable
    )
    fake.chmod(0o755)
    environment = dict(os.environ, PATH=str(fake.parent))
    pyc = compiled(tmp_path / "m.pyc", SOURCE)
    assert depyf_command("cfg", pyc, "-o", tmp_path / "m.svg", env=environment).returncode == 0
    assert (tmp_path / "m.svg").read_text() == "<svg> -Tsvg True </svg>\n"


def test_info(python_version: Any, tmp_path: pathlib.Path) -> None:
    version, python = python_version
    pyc = compiled(tmp_path / "m.pyc", SOURCE, python)
    done = depyf_command("info", pyc, "--format", "json")
    [facts] = json.loads(done.stdout.decode())["files"]
    assert done.returncode == 0 and facts["python"] == version
    assert facts["magic"] == int.from_bytes(pyc.read_bytes()[:2], "little")
    assert facts["source_bytes"] == len(SOURCE) and facts["bytes"] == pyc.stat().st_size
    assert facts["code_objects"] == len(depyf.decompilation(pyc).codes) and facts["undecodable"] == []
    assert ("python             %s\n" % version).encode() in depyf_command("info", pyc).stdout


def test_verify(python_version: Any, tmp_path: pathlib.Path) -> None:
    version, python = python_version
    pyc = compiled(tmp_path / "m.pyc", SOURCE, python)
    (tmp_path / "same.py").write_text(depyf.decompile(pyc))
    (tmp_path / "other.py").write_text(SOURCE.replace("print(x)", "print(y)"))
    (tmp_path / "broken.py").write_text("def f(:\n")
    done = depyf_command("verify", pyc, tmp_path / "same.py", "--interpreter", python)
    assert done.returncode == 0 and b"are the same (Python %s)" % version.encode() in done.stdout
    done = depyf_command("verify", pyc, tmp_path / "other.py", "--interpreter", python, "--format", "json")
    row = json.loads(done.stdout.decode())
    assert done.returncode == 1 and [name.split(".")[-1] for name, _ in row["different"]] == ["f"]
    done = depyf_command("verify", pyc, tmp_path / "broken.py", "--interpreter", python)
    assert done.returncode == 1 and b"SyntaxError" in done.stdout


def test_verify_finds_the_interpreter_or_says_so(tmp_path: pathlib.Path) -> None:
    pyc = compiled(tmp_path / "m.pyc", SOURCE)
    assert depyf_command("verify", pyc, tmp_path / "m.py").returncode == 0
    done = depyf_command("verify", pyc, tmp_path / "m.py", "--interpreter", tmp_path / "none")
    assert done.returncode == 2 and b"expected --interpreter to be cpython" in done.stderr
    done = depyf_command("verify", pyc, tmp_path / "missing.py")
    assert done.returncode == 2 and b"missing.py: No such file" in done.stderr
    other = (3, 7) if sys.version_info[:2] != (3, 7) else (3, 8)
    environment = dict(os.environ, PATH="", PYENV_ROOT=str(tmp_path))
    done = depyf_command("verify", pyc, tmp_path / "m.py", "--python", "%d.%d" % other, env=environment)
    assert done.returncode == 2


def test_nothing_of_the_input_is_run(python_version: Any, tmp_path: pathlib.Path) -> None:
    """The program would leave a file behind; none of the commands does that."""
    mark = tmp_path / "ran"
    source = "open(%r, 'w')\nclass A:\n    open(%r, 'w')\n" % (str(mark), str(mark))
    pyc = compiled(tmp_path / "m.pyc", source, python_version[1])
    for arguments in (
        ["decompile", pyc],
        ["dis", pyc],
        ["cfg", pyc],
        ["info", pyc],
        ["verify", pyc, tmp_path / "m.py"],
    ):
        depyf_command(*arguments, cwd=str(tmp_path))
    assert not mark.exists()
    assert subprocess.run([python_version[1], str(pyc)]).returncode == 0 and mark.exists()  # it would have been seen


class Shell:
    """As much of IPython's shell as an extension sees."""

    def __init__(self) -> None:
        self.magics: Any = {}

    def register_magic_function(self, function: Any, kind: str, name: str) -> None:
        self.magics[kind, name] = function

    @staticmethod
    def ev(expression: str) -> Any:
        return eval(expression, globals())


def test_ipython_extension(capsys: Any, tmp_path: pathlib.Path) -> None:
    shell = Shell()
    depyf.load_ipython_extension(shell)
    magic = shell.magics["line", "decompile"]
    for line, wanted in [("status_of", "def status_of"), ("--asm status_of", "# "), ("Shell.ev", "return eval(")]:
        magic(line)
        assert wanted in capsys.readouterr().out
    magic(str(compiled(tmp_path / "m.pyc", SOURCE)))
    assert "class A:" in capsys.readouterr().out
    magic("3")
    assert "depyf: int has no Python bytecode" in capsys.readouterr().out


def test_ipython_itself(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("IPython")
    program = "%load_ext depyf\ndef f(a): return a + 1\n%decompile f\n"
    (tmp_path / "s.ipy").write_text(program)
    done = subprocess.run([sys.executable, "-m", "IPython", str(tmp_path / "s.ipy")], stdout=subprocess.PIPE)
    assert b"return a + 1" in done.stdout
