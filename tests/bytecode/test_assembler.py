"""Assembled text comes back from the decoder as it was written; encoding what was decoded changes nothing."""

import json
import subprocess

import pytest

LOOP = """
# A loop over the argument that prints each item.
.version 3.12
.code <f>
.arg items
.local item
.firstlineno 7
.line 8
RESUME 0
LOAD_FAST items
GET_ITER
L1:
FOR_ITER L2
STORE_FAST item
.line 9
LOAD_GLOBAL print + NULL
LOAD_FAST item
CALL 1
POP_TOP
JUMP_BACKWARD L1
L2:
END_FOR
LOAD_CONST ('a', -1, 2.5, b'\\xff', frozenset({1}))
RETURN_VALUE
.except L1 L2 L2 1 lasti
.end
LOAD_CONST code <f>
RETURN_VALUE
"""


def assembled(text, native_program, tmp_path):
    path = tmp_path / "code.dis"
    path.write_text(text)
    output = subprocess.check_output([native_program("dis_json"), str(path)]).decode()
    return [json.loads(line) for line in output.splitlines()]


def test_loop(native_program, tmp_path):
    module, function = assembled(LOOP, native_program, tmp_path)
    assert module["consts"] == [["code", "<f>"]]
    assert function["numbers"] == [1, 0, 0, 16, 3, 7]
    assert function["names"] == [["print"], ["items", "item"], [], []]
    rows = function["instructions"]
    body = LOOP[LOOP.index("RESUME") : LOOP.index(".except")].splitlines()
    assert [row[2] for row in rows] == [line.split()[0] for line in body if line[0] != "." and line[-1] != ":"]
    offsets = {row[2]: row[0] for row in rows}
    jumps = {row[2]: row[5] for row in rows if row[5] != -1}
    assert jumps == {"FOR_ITER": offsets["END_FOR"], "JUMP_BACKWARD": offsets["FOR_ITER"]}
    assert {row[6][0] for row in rows} == {8, 9}
    assert function["exceptions"] == [[offsets["FOR_ITER"], offsets["END_FOR"], offsets["END_FOR"], 1, True]]
    bits = "4004000000000000"  # of 2.5
    items = [["str", "a"], ["int", "-1"], ["float", bits], ["bytes", "ff"], ["frozenset", [["int", "1"]]]]
    assert function["consts"] == [["tuple", items]]


@pytest.mark.parametrize("version", ["3.%d" % minor for minor in range(7, 16)])
def test_long_jump_and_line_changes(version, native_program, tmp_path):
    lines = [".version " + version, ".name f", ".local x", "JUMP_FORWARD END"]
    for line in (1, 400, 2, 100000):
        lines += [".line %d" % line] + ["LOAD_FAST x", "POP_TOP"] * 200
    lines += ["END:", "LOAD_FAST x", "RETURN_VALUE"]
    (code,) = assembled("\n".join(lines), native_program, tmp_path)
    jump, rows = code["instructions"][0], code["instructions"]
    assert jump[0] - jump[1] == 2 and jump[5] == rows[-2][0]
    assert [row[6][0] for row in rows[1:-2]] == [line for line in (1, 400, 2, 100000) for _ in range(400)]


@pytest.mark.parametrize(
    "text, message",
    [
        ("RESUME 0", "line 1: expected .version first"),
        (".version 3.6", "expected Python 3.7 to 3.15, found 3.6"),
        (".version 3.12\nSETUP_LOOP L1", "line 2: expected an opcode of Python 3.12, found SETUP_LOOP"),
        (".version 3.12\nJUMP_FORWARD L1", "expected a label, found 'L1'"),
        (".version 3.12\nL1:\nJUMP_FORWARD L1", "expected a label in the direction of JUMP_FORWARD"),
        (".version 3.12\nLOAD_FAST x", "line 2: expected a variable that .arg, .local, .cell or .free declares"),
        (".version 3.12\nLOAD_CONST 'a", "expected the closing quote"),
        (".version 3.12\nLOAD_CONST #3", "expected an index below 0 into co_consts, found 3 in LOAD_CONST"),
    ],
)
def test_errors(text, message, native_program, tmp_path):
    (result,) = assembled(text, native_program, tmp_path)
    assert message in result["error"][1]


def test_encoding_again(python_version, native_program, tmp_path):
    script = (
        "import json, glob, os, py_compile, sys\n"
        "for module in ('decoder', 'encoder', 'scanner', 'tool'):\n"
        "    source = os.path.join(os.path.dirname(json.__file__), module + '.py')\n"
        "    py_compile.compile(source, os.path.join(sys.argv[1], module + '.pyc'), doraise=True)\n"
    )
    subprocess.check_call([python_version[1], "-c", script, str(tmp_path)])
    files = sorted(str(path) for path in tmp_path.glob("*.pyc"))
    assert len(files) == 4
    result = subprocess.run([native_program("reencode")] + files, stdout=subprocess.PIPE)
    assert result.returncode == 0, result.stdout.decode()
