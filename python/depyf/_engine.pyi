"""The C++ engine (src/bindings). Text is `str`; offsets are bytes into co_code; lines are 1-based."""

from types import CodeType
from typing import Any, Callable

class Code:
    """A code object of any supported version, as the engine holds it."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> tuple[int, int]: ...

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

def from_live(code: CodeType, describe: Callable[[Any], str]) -> Code:
    """A code object of this interpreter. `describe` names the constants that marshal cannot hold."""

def from_bytes(data: bytes) -> Code:
    """The code object of a .pyc file of any supported version, or one marshalled by this version of Python.

    Raises ValueError with the byte offset for anything else. Runs without the GIL.
    """

def decompile(code: Code, as_module: bool = True, verify: bool = True, readable: bool = False) -> Decompilation:
    """Runs without the GIL. Never raises for what stands in the code object.

    `readable`: code that torch.compile wrote is shown as what happens; lists that only carry its values and the
    profiling of its graphs are left out. Otherwise every effect stands in its order.
    """

def disassemble(code: Code) -> str:
    """Listing of the code object and of those nested in it, in the same form for every version. Runs without the GIL."""
