"""Basic blocks of one code object and the ways between them, from the instructions alone."""

from typing import Any, Dict, List, NamedTuple, Tuple

from depyf.decompilation import Instruction

_ENDS_BLOCK = ("goto", "branch", "end", "setup", "unwind", "subroutine", "end finally")


class Block(NamedTuple):
    """Instructions that run one after the other."""

    start: int  # offset of the first one
    instructions: List[Instruction]
    ways: List[Tuple[int, str]]  # (start of a block, "next" | "jump" | "handler")


def blocks(listing: Dict[str, Any]) -> List[Block]:
    """In the order of offsets. `listing`: Code.listing()."""
    instructions = [Instruction(*row) for row in listing["instructions"]]
    exceptions = listing["exceptions"]
    starts = _starts(instructions, exceptions)
    result: List[Block] = []
    for instruction in instructions:
        if instruction.offset in starts:
            result.append(Block(instruction.offset, [], []))
        result[-1].instructions.append(instruction)
    for block, following in zip(result, [block.start for block in result[1:]] + [-1]):
        block.ways.extend(_ways(block.instructions[-1], following))
        block.ways.extend(_handlers(block, exceptions))
    return result


def _starts(instructions: List[Instruction], exceptions: List[Any]) -> Any:
    starts = {instructions[0].offset} if instructions else set()
    for start, end, target, _, _ in exceptions:
        starts |= {start, end, target}
    for instruction in instructions:
        if instruction.target is not None:
            starts.add(instruction.target)
        if instruction.flow in _ENDS_BLOCK:
            starts.add(instruction.end)
    return starts


def _ways(last: Instruction, following: int) -> List[Tuple[int, str]]:
    ways: List[Tuple[int, str]] = []
    if last.flow not in ("goto", "end", "unwind") and following >= 0:
        ways.append((following, "next"))
    if last.target is not None:
        ways.append((last.target, "handler" if last.flow == "setup" else "jump"))
    return ways


def _handlers(block: Block, exceptions: List[Any]) -> List[Tuple[int, str]]:
    covered = [target for start, end, target, _, _ in exceptions if start <= block.start < end]
    return [(target, "handler") for target in covered[:1]]
