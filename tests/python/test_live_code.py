"""Live code objects reach the engine as they are: what it lists is what `dis` lists."""

import dis
import enum
import json
import types
from typing import Any, List

import pytest

from depyf import _engine
from depyf.code_object import replaced
from depyf.constants import describe


class Colour(enum.IntEnum):
    RED = 1


def with_constants(*values: Any) -> types.CodeType:
    code = compile("def f():\n    return %s" % ", ".join("a%d" % i for i in range(len(values))), "<test>", "exec")
    function = next(c for c in code.co_consts if isinstance(c, types.CodeType))
    return replaced(function, {"co_consts": function.co_consts + values})


def listed_names(code: types.CodeType) -> List[str]:
    text = _engine.disassemble(_engine.from_live(code, describe))
    return [line for line in text.splitlines() if line and not line.startswith("Disassembly")]


def closure_with_argument_cell(a: int, *rest: int, key: int = 0) -> Any:
    b = a + key

    def inner() -> int:
        nonlocal b
        b += a + len(rest)
        return b

    return inner


@pytest.mark.parametrize("function", [closure_with_argument_cell, with_constants, json.loads, dis.dis])
def test_same_instructions_as_dis(function: Any) -> None:
    code = function.__code__
    count = len([i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "EXTENDED_ARG")])
    first = _engine.disassemble(_engine.from_live(code, describe)).split("\nDisassembly")[0]
    assert len([line for line in first.splitlines()[1:] if line.strip() and "ExceptionTable" not in line]) >= count


@pytest.mark.parametrize(
    "value, text",
    [
        (int, "int"),
        (Colour.RED, "test_live_code.Colour.RED"),
        (json, "json"),
        (json.loads, "json.loads"),
        (types.SimpleNamespace, "types.SimpleNamespace"),
        (len, "len"),
    ],
)
def test_names_of_opaque_constants(value: Any, text: str) -> None:
    assert describe(value) == text


def test_a_constant_without_a_name_says_what_it_is() -> None:
    class Hostile:
        def __repr__(self) -> str:
            raise RuntimeError

    assert describe(Hostile()) == "__constant('Hostile')"
    assert describe(lambda: 0).startswith("__constant('<function")


@pytest.mark.parametrize(
    "value",
    [
        10**5000,
        -(10**5000),
        0,
        -1,
        10**500,
        1e400,
        -0.0,
        3j,
        "\ud800",
        b"\xff",
        (1, (2,)),
        frozenset({1}),
        {1: 2},
        [3],
        ...,
    ],
    ids=lambda value: type(value).__name__,
)
def test_constants_pass(value: Any) -> None:
    assert _engine.from_live(with_constants(value), describe).name == "f"


def test_only_code_objects() -> None:
    with pytest.raises(TypeError):
        _engine.from_live(json, describe)  # type: ignore[arg-type]
