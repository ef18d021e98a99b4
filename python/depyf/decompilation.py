"""Source text, and all that is known about it."""

import ast
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from depyf import _engine

VERDICTS = ("exact", "equivalent", "unproved", "failed")  # from best to worst


class CodeVerdict(NamedTuple):
    """What is known about the source of one code object."""

    qualname: str
    verdict: str  # one of VERDICTS


class Diagnostic(NamedTuple):
    """What went wrong with one code object."""

    qualname: str
    offset: int  # bytes into its instructions, -1 where the message is about all of it
    message: str


class MappedInstruction(NamedTuple):
    """Where an instruction went."""

    code: int  # index into Decompilation.codes
    offset: int  # bytes into its instructions
    line: int  # of Decompilation.source, from 1


class Instruction(NamedTuple):
    """One instruction as the code object has it; EXTENDED_ARG and inline caches are folded into it."""

    offset: int
    end: int
    opname: str
    arg: Optional[int]
    argrepr: str  # what the argument selects, "" for bare numbers
    target: Optional[int]  # offset it can jump to
    flow: str  # next, goto, branch, end, setup, unwind, subroutine, end finally
    line: Optional[int]  # in the original source
    column: Optional[int]


class Decompilation:
    """What was made of a code object and of those inside it.

    source       the text
    line_map     MappedInstruction(code, offset, line), sorted
    codes        CodeVerdict(qualname, verdict), the code object asked for first
    verdict      the worst of these
    diagnostics  Diagnostic(qualname, offset, message)
    notes        what was guessed or skipped to read the input
    """

    def __init__(self, result: _engine.Decompilation, notes: Optional[List[str]] = None) -> None:
        self._result = result
        self.notes: List[str] = notes or []
        self.source: str = result.source
        self.codes = [CodeVerdict(*entry[:2]) for entry in result.codes]
        self.diagnostics = [Diagnostic(*entry) for entry in result.diagnostics]
        self._line_map: Optional[List[MappedInstruction]] = None

    def __repr__(self) -> str:
        name = self.codes[0].qualname if self.codes else "nothing"
        return "<Decompilation of %s: %s, %d code objects>" % (name, self.verdict, len(self.codes))

    def __str__(self) -> str:
        return self.source

    @property
    def line_map(self) -> List[MappedInstruction]:
        if self._line_map is None:
            self._line_map = [MappedInstruction(*entry) for entry in self._result.line_map]
        return self._line_map

    @property
    def verdict(self) -> str:
        worst = max((VERDICTS.index(code.verdict) for code in self.codes), default=VERDICTS.index("failed"))
        return VERDICTS[worst]

    def line_of(self, offset: int, code: int = 0) -> Optional[int]:
        """The line of `source` that the instruction at that offset of `codes[code]` went into, None where it left no
        trace."""
        return next((entry.line for entry in self.line_map if entry[:2] == (code, offset)), None)

    def instructions_on(self, line: int) -> List[Tuple[int, int]]:
        """(code, offset) of all instructions that went into that line of `source`."""
        return [(entry.code, entry.offset) for entry in self.line_map if entry.line == line]

    def instructions(self, code: int = 0) -> List[Instruction]:
        """All instructions of `codes[code]`. Raises ValueError where they cannot be decoded."""
        return [Instruction(*row) for row in self._result.listing(code)["instructions"]]

    def to_ast(self) -> ast.Module:
        """The syntax tree of `source`. Raises SyntaxError where this Python does not know what the source uses."""
        tree: ast.Module = ast.parse(self.source)
        return tree

    def counts(self) -> Dict[str, int]:
        """How many code objects have each verdict."""
        verdicts = [code.verdict for code in self.codes]
        return {verdict: verdicts.count(verdict) for verdict in VERDICTS}


def joined(parts: List[Decompilation]) -> Decompilation:
    """One text of several, each with a blank line in front; `line_map` and `codes` follow."""
    return Decompilation(_Joined(parts))  # type: ignore[arg-type]


class _Joined:
    """Several decompilations as the one that they would be in one file."""

    def __init__(self, parts: List[Decompilation]) -> None:
        self._parts = parts
        self.source = "\n".join(part.source for part in parts)
        self.codes = [tuple(code) for part in parts for code in part.codes]
        self.diagnostics = [tuple(entry) for part in parts for entry in part.diagnostics]
        self.line_map: List[Tuple[int, int, int]] = []
        codes = lines = 0
        for part in parts:
            self.line_map += [(code + codes, offset, line + lines) for code, offset, line in part.line_map]
            codes += len(part.codes)
            lines += part.source.count("\n") + 1

    def listing(self, index: int) -> Dict[str, Any]:
        for part in self._parts:
            if index < len(part.codes):
                listing: Dict[str, Any] = part._result.listing(index)
                return listing
            index -= len(part.codes)
        raise IndexError(index)
