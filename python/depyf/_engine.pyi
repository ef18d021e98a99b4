"""The C++ engine (src/bindings). Text is `str`; offsets are bytes into co_code; lines are 1-based."""

from types import CodeType
from typing import Any, Callable

class Code:
    """A code object of any supported version, as the engine holds it."""

    @property
    def name(self) -> str: ...
    @property
    def qualname(self) -> str:
        """The name alone where the version does not store a qualified one."""
    @property
    def filename(self) -> str: ...
    @property
    def firstlineno(self) -> int: ...
    @property
    def flags(self) -> int: ...
    @property
    def size(self) -> int:
        """Bytes of instructions."""
    @property
    def version(self) -> tuple[int, int]: ...
    @property
    def nested(self) -> list[Code]:
        """The code objects among the constants."""
    def listing(self) -> dict[str, Any]:
        """Of this code object alone. Raises ValueError where its instructions cannot be decoded.

        "qualname", "firstlineno"
        "instructions": (offset, end, opname, arg or None, argrepr, target or None, flow, line or None, column or None);
                        flow: next, goto, branch, end, setup, unwind, subroutine, end finally
        "exceptions":   (start, end, target, depth, lasti)
        """

class Decompilation:
    """Source text and what is known about it."""

    @property
    def source(self) -> str:
        """The decompiled text."""
    @property
    def line_map(self) -> list[tuple[int, int, int]]:
        """(index into `codes`, byte offset of an instruction, line of `source`), sorted."""
    @property
    def codes(self) -> list[tuple[str, str]]:
        """(qualified name, "exact" | "equivalent" | "unproved" | "failed"), the code object asked for first."""
    @property
    def diagnostics(self) -> list[tuple[str, int, str]]:
        """(qualified name, byte offset or -1, message)."""
    def listing(self, index: int) -> dict[str, Any]:
        """Code.listing() of the code object at that index of `codes`."""

def from_live(code: CodeType, describe: Callable[[Any], str]) -> Code:
    """A code object of this interpreter. `describe` names the constants that marshal cannot hold."""

def from_bytes(data: bytes) -> Code:
    """The code object of a .pyc file of any supported version, or one marshalled by this version of Python.

    Raises ValueError with the byte offset for anything else. Runs without the GIL.
    """

def salvage(
    data: bytes, version: tuple[int, int], offset: int = 0, max_depth: int = 0, max_objects: int = 0
) -> tuple[list[Code], int, str]:
    """(code objects, offset, message) of what is marshalled at `offset`. Runs without the GIL.

    With message "" the only code object is the one asked for. Otherwise `message` says what is wrong with it at byte
    `offset`, and the code objects are those inside it that are whole. Limits of 0 are the default ones.
    """

def constant(data: bytes, version: tuple[int, int], offset: int = 0) -> Any:
    """The plain value marshalled at `offset`; what has no plain value is None. Raises ValueError."""

def version_of_magic(magic: int) -> tuple[int, int] | None:
    """The version that a .pyc magic number belongs to."""

def decompile(
    code: Code,
    as_module: bool = True,
    verify: bool = True,
    readable: bool = False,
    align_lines: bool = False,
    max_depth: int = 0,
    max_size: int = 0,
    max_seconds: float = 0,
) -> Decompilation:
    """Runs without the GIL. Never raises for what stands in the code object.

    `readable`: code that torch.compile wrote is shown as what happens; lists that only carry its values and the
    profiling of its graphs are left out. Otherwise every effect stands in its order.
    `align_lines`: every statement on its original line. What is over a limit becomes a stub: `max_depth` levels of
    code objects (0: 1000), `max_size` bytes of instructions in one (0: any), `max_seconds` for all (0: any).
    """

def disassemble(code: Code) -> str:
    """Listing of the code object and of those nested in it, in the same form for every version. Runs without the GIL."""
