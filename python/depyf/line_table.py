"""Line tables of code objects, written in the format of the running interpreter.

Formats: CPython Objects/lnotab_notes.txt (3.7 - 3.9, and 3.10's co_linetable), Objects/locations.md and
InternalDocs/code_objects.md (3.11 and later).
"""

import sys
from types import CodeType
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

from depyf.code_object import replaced

# (first byte, byte after the last, 1-based line or None where there is no line)
Span = Tuple[int, int, Optional[int]]


def spans_of(code: CodeType) -> List[Span]:
    """The line of every instruction of `code`, as runs of bytes in order."""
    if hasattr(code, "co_lines"):
        return list(code.co_lines())
    import dis

    starts = list(dis.findlinestarts(code))
    ends = [offset for offset, _ in starts[1:]] + [len(code.co_code)]
    return [(offset, end, line) for (offset, line), end in zip(starts, ends)]


def relined(code: CodeType, filename: str, spans: Iterable[Span], name: Optional[str] = None) -> CodeType:
    """`code` with another file name and line table; its instructions, constants and names stay as they are.

    `spans` must cover the code's bytes from the first to the last without a gap.
    """
    runs = [span for span in spans if span[1] > span[0]]
    first = min([line for _, _, line in runs if line is not None], default=code.co_firstlineno)
    changes: Dict[str, Any] = {"co_filename": filename, "co_firstlineno": first}
    if name is not None:
        changes["co_name"] = name
    if sys.version_info >= (3, 11):
        changes["co_linetable"] = _location_table(first, runs)
    elif sys.version_info >= (3, 10):
        changes["co_linetable"] = _line_pairs(first, runs)
    else:
        changes["co_lnotab"] = _lnotab(first, runs)
    return replaced(code, changes)


def shifted(code: CodeType, filename: str, lines: int) -> CodeType:
    """`code`, and the code objects inside it, as if its text stood `lines` lines further down in `filename`."""
    return replaced(
        with_nested(code, lambda nested: shifted(nested, filename, lines)),
        {"co_filename": filename, "co_firstlineno": code.co_firstlineno + lines},
    )


def with_nested(code: CodeType, change: Callable[[CodeType], CodeType]) -> CodeType:
    """`code` with each code object among its constants replaced by what `change` makes of it."""
    if not any(isinstance(value, CodeType) for value in code.co_consts):
        return code
    consts = tuple(change(value) if isinstance(value, CodeType) else value for value in code.co_consts)
    return replaced(code, {"co_consts": consts})


def _signed_varint(value: int) -> bytes:
    number = ((-value) << 1) | 1 if value < 0 else value << 1
    result = bytearray()
    while number >= 64:
        result.append(64 | (number & 63))
        number >>= 6
    result.append(number)
    return bytes(result)


def _location_table(first: int, runs: List[Span]) -> bytes:
    """3.11+: an entry covers up to eight code units; kind 13 has a line and no columns, kind 15 has nothing."""
    table = bytearray()
    current = first
    for start, end, line in runs:
        units = (end - start) // 2
        while units > 0:
            length = min(units, 8)
            units -= length
            if line is None:
                table.append(0x80 | (15 << 3) | (length - 1))
            else:
                table.append(0x80 | (13 << 3) | (length - 1))
                table += _signed_varint(line - current)
                current = line
    return bytes(table)


def _line_pairs(first: int, runs: List[Span]) -> bytes:
    """3.10: pairs of (bytes covered, signed line step); a step of -128 says that the bytes have no line."""
    table = bytearray()
    current = first
    for start, end, line in runs:
        size = end - start
        step = 0 if line is None else line - current
        while not -127 <= step <= 127:
            part = max(-127, min(127, step))
            table += bytes((0, part & 0xFF))
            step -= part
        mark = 0x80 if line is None else step & 0xFF
        current = current if line is None else line
        while True:
            table += bytes((min(size, 254), mark))
            size -= min(size, 254)
            if size == 0:
                break
            mark = 0x80 if line is None else 0
    return bytes(table)


def _lnotab(first: int, runs: List[Span]) -> bytes:
    """3.7 - 3.9: pairs of (byte step, signed line step), in the order in which a reader adds them up."""
    table = bytearray()
    offset, current = 0, first
    for start, _, line in runs:
        if line is None or line == current:
            continue
        step = start - offset
        while step > 255:
            table += b"\xff\0"
            step -= 255
        lines = line - current
        while not -128 <= lines <= 127:
            part = max(-128, min(127, lines))
            table += bytes((step, part & 0xFF))
            step, lines = 0, lines - part
        table += bytes((step, lines & 0xFF))
        offset, current = start, line
    return bytes(table)
