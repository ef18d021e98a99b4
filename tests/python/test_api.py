"""The public functions, on everything that they say they take."""

import ast
import io
import marshal
import pathlib
import py_compile
import subprocess
import sys
from typing import Any

import pytest

import depyf
from depyf.code_object import replaced
from depyf.decompiler import Decompiler, compile_like
from depyf.utils import collect_all_code_objects, decompile_ensure, get_code_owner, get_function_signature

SOURCE = "def add(a, b):\n    return a + b\n\n\nVALUE = 3\n"


def add(a: int, b: int) -> int:
    return a + b


class Holder:
    def method(self) -> int:
        return 1

    @property
    def value(self) -> int:
        return 2


def same_tree(text: str, wanted: str) -> bool:
    return ast.dump(ast.parse(text)) == ast.dump(ast.parse(wanted))


@pytest.fixture
def pyc(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "m.py").write_text(SOURCE)
    return pathlib.Path(str(py_compile.compile(str(tmp_path / "m.py"), cfile=str(tmp_path / "m.pyc"))))


def test_function_and_code() -> None:
    wanted = "def add(a, b):\n    return a + b\n"
    for obj in (add, add.__code__):
        assert same_tree(depyf.decompile(obj), wanted)


def test_method_and_property() -> None:
    for obj in (Holder.method, Holder().method):
        assert same_tree(depyf.decompile(obj), "def method(self):\n    return 1\n")
    assert same_tree(depyf.decompile(Holder.__dict__["value"]), "def value(self):\n    return 2\n")


def test_files_bytes_and_streams(pyc: pathlib.Path) -> None:
    data = pyc.read_bytes()
    code = marshal.dumps(compile(SOURCE, "m.py", "exec"))
    for obj in (str(pyc), pyc, data, bytearray(data), io.BytesIO(data), code, compile(SOURCE, "m.py", "exec")):
        assert same_tree(depyf.decompile(obj), SOURCE)


def test_wrong_input(tmp_path: pathlib.Path) -> None:
    for obj in ("m.py", 3, len, None):
        with pytest.raises(TypeError):
            depyf.decompile(obj)
    with pytest.raises(ValueError):
        depyf.decompile(b"not bytecode at all")
    with pytest.raises(FileNotFoundError):
        depyf.decompile(str(tmp_path / "none.pyc"))


def test_decompilation_tells_lines_and_verdicts() -> None:
    result = depyf.decompilation(add)
    assert result.codes == [("add", result.codes[0][1])]
    assert {line for _, _, line in result.line_map} == {1, 2} or {line for _, _, line in result.line_map} == {2}
    assert result.diagnostics == []


def test_verdict_is_proved() -> None:
    assert depyf.decompilation(add).codes[0][1] in ("exact", "equivalent")


def test_decompiler_class() -> None:
    assert same_tree(Decompiler(add).decompile(overwite_fn_name="other"), "def other(a, b):\n    return a + b\n")
    assert "\n  return" in Decompiler(add).decompile(indentation=2)
    assert Decompiler(add) == Decompiler(add) and hash(Decompiler(add)) == hash(Decompiler(add.__code__))


def make_closure(z: int, a: int) -> Any:
    def inner(x: int, *rest: int, key: int = 0, **more: int) -> Any:
        nonlocal z
        z += x + key
        c, b = x, z

        def innermost() -> Any:
            return c, b, a, z

        return innermost

    return inner


def test_compile_like_keeps_arguments_cells_and_free_variables() -> None:
    function = make_closure(1, 2)
    code = function.__code__
    back = compile_like(code, code)
    for field in ("co_argcount", "co_kwonlyargcount", "co_cellvars", "co_freevars", "co_name", "co_flags"):
        assert getattr(back, field) == getattr(code, field), field
    expected = function(5, key=1)()
    function = make_closure(1, 2)
    function.__code__ = back
    assert function(5, key=1)() == expected


def test_compile_like_follows_the_order_of_the_reference() -> None:
    code = make_closure(1, 2).__code__
    flipped = replaced(code, {"co_freevars": tuple(reversed(code.co_freevars))})
    assert compile_like(code, flipped).co_freevars == flipped.co_freevars


def test_compile_like_binds_live_constants() -> None:
    marker = object()
    code = add.__code__
    consts = tuple(marker if value == "here" else value for value in (lambda: "here").__code__.co_consts)
    function = replaced((lambda: "here").__code__, {"co_consts": consts, "co_name": "give"})
    back = compile_like(function, function)
    give: Any = lambda: None  # noqa: E731
    give.__code__ = back
    assert give() is marker
    assert code is add.__code__


def test_template_writes_numbered_files(tmp_path: pathlib.Path) -> None:
    template = str(tmp_path / "add_%d.py")
    for number in range(2):
        code = Decompiler.decompile_and_compile_like(add.__code__, add.__code__, filepath_template=template)
        assert code.co_filename == template % number
        assert "def add_%d(" % number in (tmp_path / ("add_%d.py" % number)).read_text()


def test_utils() -> None:
    def f(a: int, *b: int, c: int, **d: int) -> Any:
        return lambda: a

    assert get_function_signature(f.__code__) == "def f(a, *b, c, **d):\n"
    assert [code.co_name for code in collect_all_code_objects(f.__code__)] == ["f", "<lambda>"]
    assert get_code_owner(Holder().method) is Holder.method
    assert "return a + b" in decompile_ensure(add)


def test_torch_is_not_imported() -> None:
    program = "import sys, depyf, depyf.decompiler, depyf.utils, depyf.cli; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
