"""Where in some bytes a marshalled code object begins, and of which Python it is.

A whole .pyc header says both. Where it is missing, cut off, zeroed or wrong, the versions are tried one after another and
the one that reads best is taken: a guess, which `Located.notes` reports.
"""

import sys
from typing import Any, List, NamedTuple, Optional, Tuple

from depyf import _engine

Version = Tuple[int, int]

SUPPORTED: List[Version] = [(3, minor) for minor in range(7, 16)]
HEADER = 16  # bytes, PEP 552
_RANGE = "Python 3.7 - 3.15"

# First magic number and name of what is known and not supported (CPython Lib/importlib/_bootstrap_external.py).
_FOREIGN = [
    (0, "PyPy"),
    (500, ""),
    (3000, "Python 3.0 - 3.5"),
    (3360, "Python 3.6"),
    (3390, ""),
    (20121, "Python 1.5 - 2.6"),
    (62171, "Python 2.7"),
    (62212, ""),
]
_NEWER = range(3700, 4000)


class Limits(NamedTuple):
    """0: the engine's own."""

    max_depth: int = 0  # nesting of marshalled objects
    max_objects: int = 0  # objects built


class Located(NamedTuple):
    """The place of a code object in some bytes."""

    version: Version
    offset: int
    magic: Optional[int]
    notes: List[str]  # what is not as it should be, and what was made of it


class Salvage(NamedTuple):
    """The code object, or what is left of it where `message` says that it cannot be read."""

    codes: List[_engine.Code]
    offset: int
    message: str


class UnreadableError(ValueError):
    """No code object at `offset`: what was expected there, and what was found."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__("%s (at byte %d)" % (message, offset) if offset >= 0 else message)
        self.offset = offset
        self.message = message


def read(data: bytes, python: Optional[Version] = None) -> _engine.Code:
    """The code object in `data`. Raises UnreadableError."""
    located = locate(data, python)
    found = salvage(data, located)
    if found.message:
        raise UnreadableError(found.offset, found.message)
    return found.codes[0]


def salvage(data: bytes, located: Located, limits: Optional[Limits] = None) -> Salvage:
    """All that can be read at that place."""
    max_depth, max_objects = limits or (0, 0)
    return Salvage(*_engine.salvage(data, located.version, located.offset, max_depth, max_objects))


def magic_of(data: bytes) -> Optional[int]:
    """The number in front, where the bytes begin as every .pyc does."""
    return int.from_bytes(data[:2], "little") if len(data) >= 4 and data[2:4] == b"\r\n" else None


def locate(data: bytes, python: Optional[Version] = None, container: Optional[Version] = None) -> Located:
    """`python` overrules what the bytes say; `container`, the version that an archive names, counts where they say
    nothing. Raises UnreadableError."""
    if not data:
        raise UnreadableError(0, "expected a .pyc file or a marshalled code object, found nothing")
    magic = magic_of(data)
    known = None if magic is None else _engine.version_of_magic(magic)
    if known is not None and (python is None or python == known):
        return _behind_header(data, known, magic)
    if magic in _NEWER and python is None and container is None:
        note = "magic number %d is newer than Python 3.15: read as Python 3.15" % (magic or 0)
        return Located(SUPPORTED[-1], HEADER, magic, [note])
    if container is not None and python is None and container in SUPPORTED:
        for offset in (0, HEADER, 12, 8, 4):
            if _is_code(data, offset):
                return Located(container, offset, magic, [])
    return _guessed(data, python, magic, known)


def _behind_header(data: bytes, version: Version, magic: Optional[int]) -> Located:
    notes: List[str] = []
    flags = int.from_bytes(data[4:8], "little")
    if len(data) > HEADER and _is_code(data, HEADER):
        if flags > 3:
            notes.append("expected .pyc flags 0 to 3, found %d (at byte 4): not looked at" % flags)
        return Located(version, HEADER, magic, notes)
    for offset in (4, 8, 12):
        if _is_code(data, offset) and not _engine.salvage(data, version, offset)[2]:
            notes.append("expected a header of %d bytes, found one of %d" % (HEADER, offset))
            return Located(version, offset, magic, notes)
    if flags > 3:
        raise UnreadableError(4, "expected .pyc flags 0 to 3, found %d" % flags)
    return Located(version, HEADER, magic, notes)


def _guessed(data: bytes, python: Optional[Version], magic: Optional[int], known: Optional[Version]) -> Located:
    offsets = [offset for offset in ((HEADER, 12, 8, 4) if magic is not None else (0, HEADER, 12, 8, 4))]
    offsets = [offset for offset in offsets if _is_code(data, offset)]
    if not offsets:
        raise UnreadableError(
            0, "expected a .pyc file of %s or a marshalled code object, found %s" % (_RANGE, _start(data))
        )
    versions = SUPPORTED if python is None else [python]
    tried = [(_score(data, version, offset), version, offset) for offset in offsets for version in versions]
    best, version, offset = max(tried, key=lambda entry: entry[0])
    foreign = "" if magic is None or python is not None else _foreign(magic)
    if foreign and best[:3] != (True, 0, 0):
        raise UnreadableError(0, "expected %s, found the magic number %d of %s" % (_RANGE, magic or 0, foreign))
    header = _header_note(magic, offset) + (", that of %s" % foreign if foreign else "")
    if python is not None:
        if known is not None:
            header = "the magic number is that of Python %d.%d" % known
        return Located(python, offset, magic, ["%s: read as Python %d.%d, as asked for" % ((header,) + python)])
    if not best[0]:  # no version reads it: what the best one says
        found = _engine.salvage(data, version, offset)
        if not found[0]:
            raise UnreadableError(found[1], "%s, read as Python %d.%d" % ((found[2],) + version))
    equals = ["%d.%d" % entry[1] for entry in tried if entry[0][:4] == best[:4] and entry[1] != version]
    also = " (read as %s it looks the same)" % ", ".join(equals) if best[0] and equals else ""
    return Located(version, offset, magic, ["%s: guessed Python %d.%d%s" % ((header,) + version + (also,))])


def _header_note(magic: Optional[int], offset: int) -> str:
    if magic is not None:
        return "magic number %d is none of %s" % (magic, _RANGE)
    return "no .pyc header" if offset == 0 else "no magic number in the first %d bytes" % offset


def _is_code(data: bytes, offset: int) -> bool:
    """Whether a marshalled code object may begin there: type code 'c', perhaps with FLAG_REF."""
    return offset < len(data) and data[offset] & 0x7F == 0x63


def _score(data: bytes, version: Version, offset: int) -> Tuple[Any, ...]:
    """The greater, the better `version` reads the bytes."""
    codes, stopped, message = _engine.salvage(data, version, offset)
    if message:
        return (False, stopped)
    found = _all_codes(codes[0])
    faults = sum(_faults(code, version) for code in found)
    result = _engine.decompile(codes[0], True, False)
    failed = len(result.diagnostics)
    # Between equals, in `_guessed`: this very version, which marshal.dumps() here gives, then the newest.
    return (True, -faults, -failed, len(result.codes), version == sys.version_info[:2], version)


def _all_codes(code: _engine.Code) -> List[_engine.Code]:
    found = [code]
    for entry in found:
        if len(found) > 2000:
            break
        found += entry.nested
    return found


def _faults(code: _engine.Code, version: Version) -> int:
    """Signs that the code object is not of this version."""
    try:
        listing = code.listing()
    except ValueError:
        return 10
    instructions = listing["instructions"]
    names = [row[2] for row in instructions]
    faults = 0
    if version >= (3, 11) and "RESUME" not in names[:8]:
        faults += 1
    if version >= (3, 13) and names[:1] == ["RESUME"] and instructions[0][3] not in (0, 1, 2, 3):
        faults += 1
    if names and names[-1] in ("NOP", "CACHE", "POP_TOP") or not names:
        faults += 1
    size = code.size
    lines = [row[7] for row in instructions if row[7] is not None]
    if not lines or min(lines) < 1 or max(lines) > max(code.firstlineno, 1) + 100 * size:
        faults += 1
    return faults


def _foreign(magic: int) -> str:
    name = ""
    for first, text in _FOREIGN:
        if magic >= first:
            name = text
    return name


def _start(data: bytes) -> str:
    if data[:4] == b"PK\3\4":
        return "a zip archive"
    try:
        text = data[:4096].decode("ascii")
    except UnicodeDecodeError:
        text = ""
    if text.strip() and text.isprintable() or "\n" in text and "\0" not in text:
        return "text that begins %r" % text.strip()[:30]
    return "bytes %s" % " ".join("%02x" % byte for byte in data[:8])
