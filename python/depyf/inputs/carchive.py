"""CArchive: what PyInstaller appends to a program.

Layout (PyInstaller/archive/writers.py, CArchiveWriter): the members, a table, and a cookie of 88 bytes: the magic below,
size of the archive, offset and size of the table, version of Python, name of its library. Numbers are big-endian. A row of
the table: its size, offset, packed size, size, whether packed, a letter for the kind, the name up to a NUL.
A signature may follow, so the cookie is looked for from the end of the file.
"""

import struct
from typing import BinaryIO, Callable, Iterator, List, NamedTuple, Optional

from depyf.inputs.bytecode import UnreadableError, Version
from depyf.inputs.member import Member
from depyf.inputs.pyz import inflated

_MAGIC = b"MEI\014\013\012\013\016"
_COOKIE = struct.Struct("!8sIIII64s")
_OLD_COOKIE = struct.Struct("!8sIIII")  # up to PyInstaller 2.0
_ROW = struct.Struct("!IIIIBc")
_SCRIPT, _MODULE, _PACKAGE, _PYZ, _ZIP, _DATA = b"s", b"m", b"M", b"z", b"Z", b"x"
_CHUNK = 1 << 20


class Archive(NamedTuple):
    """Where the archive stands in the file."""

    start: int
    table: int  # both from the start of the file
    table_size: int
    python: Optional[Version]
    library: str  # name of Python's library, "" where the cookie is an old one


class Row(NamedTuple):
    """A row of the table."""

    name: str
    kind: bytes
    offset: int  # from the start of the file
    packed_size: int
    size: int
    packed: bool


def find(stream: BinaryIO) -> Optional[Archive]:
    """The last archive of the file, None where it has none. Raises UnreadableError for a cookie that leads nowhere."""
    end = stream.seek(0, 2)
    position = _last(stream, end)
    if position is None:
        return None
    stream.seek(position)
    cookie = stream.read(_COOKIE.size)
    library = b""
    if len(cookie) == _COOKIE.size:
        _, size, table, table_size, number, library = _COOKIE.unpack(cookie)
        cookie_size = _COOKIE.size
    else:
        cookie_size = 0
    if not library.startswith((b"lib", b"python", b"Python", b"@")) and b"ython" not in library:
        stream.seek(position)
        cookie = stream.read(_OLD_COOKIE.size)
        if len(cookie) < _OLD_COOKIE.size:
            raise UnreadableError(position, "expected a PyInstaller cookie of 88 bytes, found the end of the file")
        _, size, table, table_size, number = _OLD_COOKIE.unpack(cookie)
        cookie_size, library = _OLD_COOKIE.size, b""
    start = position + cookie_size - size
    if start < 0 or table + table_size > size:
        raise UnreadableError(
            position, "expected a PyInstaller archive of %d bytes, found the start of the file" % size
        )
    version = divmod(number, 100) if number >= 100 else divmod(number, 10)
    python = (version[0], version[1]) if version[0] == 3 else None
    return Archive(start, start + table, table_size, python, library.split(b"\0")[0].decode("latin-1"))


def _last(stream: BinaryIO, end: int) -> Optional[int]:
    while end > 0:
        start = max(end - _CHUNK, 0)
        stream.seek(start)
        found = stream.read(end - start).rfind(_MAGIC)
        if found >= 0:
            return start + found
        if start == 0:
            return None
        end = start + len(_MAGIC) - 1  # the magic may lie across the border
    return None


def rows(stream: BinaryIO, archive: Archive) -> List[Row]:
    """The table of contents. Raises UnreadableError."""
    stream.seek(archive.table)
    table = stream.read(archive.table_size)
    result, position = [], 0
    while position < len(table):
        if position + _ROW.size > len(table):
            raise UnreadableError(archive.table + position, "expected a row of the archive's table, found its end")
        length, offset, packed_size, size, packed, kind = _ROW.unpack_from(table, position)
        if length < _ROW.size or position + length > len(table):
            text = "expected a row of at least %d bytes inside of the archive's table, found %d"
            raise UnreadableError(archive.table + position, text % (_ROW.size, length))
        name = table[position + _ROW.size : position + length].split(b"\0")[0].decode("utf-8", "replace")
        result.append(Row(name, kind, archive.start + offset, packed_size, size, packed == 1))
        position += length
    return result


def members(stream: BinaryIO, archive: Archive) -> Iterator[Member]:
    """Scripts, modules and inner archives, in the order of the table. Raises UnreadableError."""
    for row in rows(stream, archive):
        name = row.name.replace("\\", "/")
        if row.kind == _SCRIPT:
            yield Member(name + ".pyc", _reader(stream, row), True, python=archive.python)
        elif row.kind in (_MODULE, _PACKAGE):
            path = name.replace(".", "/") + ("/__init__.pyc" if row.kind == _PACKAGE else ".pyc")
            yield Member(path, _reader(stream, row), True, python=archive.python)
        elif row.kind == _PYZ:
            yield Member(name, _reader(stream, row), False, is_transparent=True)
        elif row.kind == _ZIP or row.kind == _DATA and name.endswith((".zip", ".egg", ".whl", ".pyz")):
            yield Member(name, _reader(stream, row), False)
        elif row.kind == _DATA and name.endswith((".pyc", ".pyo")):
            yield Member(name, _reader(stream, row), True)


def _reader(stream: BinaryIO, row: Row) -> Callable[[int], bytes]:
    def read(max_size: int) -> bytes:
        if row.packed_size > max_size or row.size > max_size:
            raise UnreadableError(row.offset, "expected at most %d bytes, found more" % max_size)
        stream.seek(row.offset)
        data = stream.read(row.packed_size)
        if len(data) < row.packed_size:
            text = "expected %d bytes, found the end of the file after %d" % (row.packed_size, len(data))
            raise UnreadableError(row.offset, text)
        return inflated(data, max_size, row.offset, row.size) if row.packed else data

    return read
