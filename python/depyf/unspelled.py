"""What bytecode can do and source cannot say: load a cell, hand a dict of keywords over as it is."""

import dis
import sys
from types import CodeType
from typing import Any, List, Optional

from depyf.code_object import replaced


def shortened(code: CodeType) -> CodeType:
    """`code` with every ``(lambda: x).__closure__[0]`` turned into the loading of x's cell that it stands for, and
    without the copy that a call makes of the keywords in a variable of the decompiler's.

    What is left out becomes NOPs, so offsets, line and exception tables stay as they are. On versions whose
    instructions are not known here the code stays unchanged: it means the same.
    """
    if not (3, 8) <= sys.version_info[:2] <= (3, 12):
        return code
    instructions = list(dis.get_instructions(code))
    raw = bytearray(code.co_code)

    def skip(start: int, end: int) -> None:
        first = instructions[start].offset
        last = instructions[end].offset if end < len(instructions) else len(raw)
        raw[first:last] = bytes([dis.opmap["NOP"], 0]) * ((last - first) // 2)

    for index, first in enumerate(instructions):
        if first.opname == "LOAD_CLOSURE":
            end = _taken_cell(instructions, index + 1, first.argval)
            if end is not None:
                skip(index + 1, end)
        elif first.opname == "CALL_FUNCTION_EX" and first.arg == 1:
            start = _copied_keywords(instructions, index)
            if start is not None:
                skip(start, start + 1)
                skip(index - 1, index)
    changed = bytes(raw)
    return code if changed == code.co_code else replaced(code, {"co_code": changed})


def _copied_keywords(instructions: List[Any], call: int) -> Optional[int]:
    """Where BUILD_MAP stands of ``f(**_stack_1)``."""
    merge, index = call - 1, call - 2
    if index < 1 or instructions[merge].opname not in ("DICT_MERGE", "DICT_UPDATE"):
        return None
    if instructions[index].opname != "LOAD_FAST" or not instructions[index].argval.startswith("_stack_"):
        return None
    index -= 1
    while instructions[index].opname == "EXTENDED_ARG":
        index -= 1
    fits = instructions[index].opname == "BUILD_MAP" and instructions[index].arg == 0
    return index if fits else None


def _taken_cell(instructions: List[Any], index: int, cell: str) -> Optional[int]:
    """Where the instructions behind LOAD_CLOSURE end that make a function and take its only cell."""
    expected = [
        ("BUILD_TUPLE", lambda i: i.arg == 1),
        ("LOAD_CONST", lambda i: isinstance(i.argval, CodeType) and _reads(i.argval, cell)),
        ("MAKE_FUNCTION", lambda i: i.arg == 8),
        ("LOAD_ATTR", lambda i: i.argval == "__closure__"),
        ("LOAD_CONST", lambda i: i.argval == 0),
        ("BINARY_SUBSCR", lambda i: True),
    ]
    for opname, fits in expected:
        while index < len(instructions) and (
            instructions[index].opname in ("EXTENDED_ARG", "CACHE")
            or (opname == "MAKE_FUNCTION" and _is_text(instructions[index]))  # up to 3.10: the qualified name
        ):
            index += 1
        if index >= len(instructions) or instructions[index].opname != opname or not fits(instructions[index]):
            return None
        index += 1
    return index


def _is_text(instruction: Any) -> bool:
    return bool(instruction.opname == "LOAD_CONST" and isinstance(instruction.argval, str))


def _reads(code: CodeType, cell: str) -> bool:
    """Whether `code` is ``lambda: cell``."""
    names = [i.opname for i in dis.get_instructions(code) if i.opname not in ("COPY_FREE_VARS", "RESUME", "CACHE")]
    return code.co_freevars == (cell,) and names == ["LOAD_DEREF", "RETURN_VALUE"]
