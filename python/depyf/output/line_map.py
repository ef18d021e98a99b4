"""--line-map: which instruction, from which original line, went into which line of the text."""

from typing import Any, Dict, List

from depyf.decompilation import Decompilation


def rows(result: Decompilation) -> List[Dict[str, Any]]:
    """A dict for each instruction that left a trace, by code object and offset."""
    found: List[Dict[str, Any]] = []
    listings: Dict[int, Dict[int, Any]] = {}
    for code, offset, line in result.line_map:
        if code not in listings:
            listings[code] = _by_offset(result, code)
        instruction = listings[code].get(offset)
        found.append(
            {
                "code": code,
                "name": result.codes[code].qualname,
                "offset": offset,
                "line": line,
                "original_line": instruction and instruction.line,
                "original_column": instruction and instruction.column,
            }
        )
    return found


def _by_offset(result: Decompilation, code: int) -> Dict[int, Any]:
    try:
        return {instruction.offset: instruction for instruction in result.instructions(code)}
    except ValueError:
        return {}


def as_comments(mapped: List[Dict[str, Any]]) -> str:
    """For the end of a text: `# line 3: f, offsets 2 4 6, original line 7`."""
    groups: Dict[Any, List[int]] = {}
    for row in mapped:
        key = (row["line"], row["code"], row["name"], row["original_line"])
        groups.setdefault(key, []).append(row["offset"])
    lines = ["# Line map: line of this text: code object, offsets of its instructions, original line"]
    for (line, _, name, original), offsets in sorted(groups.items(), key=lambda item: (item[0][:2], item[1])):
        where = "" if original is None else ", original line %d" % original
        lines.append("# line %d: %s, offsets %s%s" % (line, ascii(name)[1:-1], " ".join(map(str, offsets)), where))
    return "\n".join(lines) + "\n"
