"""--asm: above every statement the instructions that it was made of, as comments."""

from collections import defaultdict
from typing import Dict, List, Optional, Tuple

from depyf.decompilation import Decompilation, Instruction


def with_instructions(result: Decompilation) -> str:
    """The source with the instructions of each line above it. It still is the same program."""
    listings: Dict[int, Optional[Dict[int, Instruction]]] = {}
    above: Dict[int, List[Tuple[int, int]]] = defaultdict(list)
    for code, offset, line in result.line_map:
        above[line].append((code, offset))
    text = []
    for number, written in enumerate(result.source.split("\n"), 1):
        indent = written[: len(written) - len(written.lstrip(" "))]
        code_before = -1
        for code, offset in above.get(number, ()):
            if code not in listings:
                listings[code] = _listing(result, code)
            if code != code_before and (code_before >= 0 or len(result.codes) > 1):
                text.append("%s# %s:" % (indent, _printable(result.codes[code].qualname)))
            code_before = code
            text.append("%s# %s" % (indent, _printable(shown(listings[code], offset))))
        text.append(written)
    return "\n".join(text)


def _listing(result: Decompilation, code: int) -> Optional[Dict[int, Instruction]]:
    try:
        return {instruction.offset: instruction for instruction in result.instructions(code)}
    except ValueError:
        return None


def shown(listing: Optional[Dict[int, Instruction]], offset: int) -> str:
    """`  12 LOAD_FAST  0 (x)`"""
    instruction = None if listing is None else listing.get(offset)
    if instruction is None:
        return "%5d" % offset
    text = "%5d %s" % (offset, instruction.opname)
    if instruction.arg is not None:
        text = "%-32s %d" % (text, instruction.arg)
    return text + (" (%s)" % instruction.argrepr if instruction.argrepr else "")


def _printable(text: str) -> str:
    """On one line, whatever the input calls its names."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
