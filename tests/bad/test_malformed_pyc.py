"""Damaged .pyc files are refused with an Error or read, and never crash or hang the reader or the decoder."""

import os
import subprocess

import pytest

SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sample.py")


def compile_sample(python, folder):
    compiled = str(folder / "sample.pyc")
    script = "import py_compile, sys; py_compile.compile(sys.argv[1], sys.argv[2], doraise=True)"
    subprocess.check_call([python, "-c", script, SAMPLE, compiled])
    return compiled


def test_damaged_files(python_version, native_program, tmp_path):
    compiled = compile_sample(python_version[1], tmp_path)
    result = subprocess.run(
        [native_program("malformed_pyc"), "1", compiled], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120
    )
    assert result.returncode == 0, result.stdout.decode()


HEADER = b"\xa7\r\r\n" + bytes(12)  # 3.11


@pytest.mark.parametrize(
    "data, offset, expected",
    [
        (b"", 0, "expected 2 more bytes"),
        (b"\x00\x00\r\n", 0, "expected a magic number from 3390 (Python 3.7)"),
        (b"\xa7\r\r\n\x08\x00\x00\x00", 4, "expected .pyc flags 0 to 3, found 8"),
        (HEADER + b"N", 16, "expected a code object"),
        (HEADER + b"0", 16, "expected an object, found NULL"),
        (HEADER + b"r\x05\x00\x00\x00", 16, "expected a reference to one of 0 objects, found 5"),
        (HEADER + b"\xa9\x01r\x00\x00\x00\x00", 18, "expected a reference to a finished object"),
        (HEADER + b"(\xff\xff\xff\x7f", 16, "expected 2147483647 items"),
        (HEADER + b")\x01" * 3000 + b"N", 16 + 2 * 2000, "expected at most 2000 nested objects"),
        (HEADER + b":NNN", 16, "expected a marshal type code of Python 3.11, found type code ':'"),
        # Each tuple holds the one before it twice: 40 of them would be 2**40 objects.
        (
            HEADER + b")\x29\xa9\x02NN"
            + b"".join(b"\xa9\x02" + (b"r" + bytes([i, 0, 0, 0])) * 2 for i in range(40)),
            None,
            "expected fewer objects than the limit",
        ),
    ],
)
def test_diagnostics(data, offset, expected, native_program, tmp_path):
    path = tmp_path / "bad.pyc"
    path.write_bytes(data)
    output = subprocess.check_output([native_program("dis_json"), str(path)], timeout=60).decode()
    assert expected in output
    if offset is not None:
        assert '"error":[%d,' % offset in output
