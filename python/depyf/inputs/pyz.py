"""PYZ: the archive of pure Python modules inside a PyInstaller program.

Layout (PyInstaller/archive/writers.py, ZlibArchiveWriter): b"PYZ\\0", the four bytes of the .pyc magic number, the offset
of the table of contents as a big-endian int32; the modules, each marshalled without a header and compressed by zlib;
the table, a marshalled list of (name, (kind, offset, size)), up to PyInstaller 3 a dict.
"""

import struct
import zlib
from typing import Any, Callable, Iterator, List, Optional, Tuple

from depyf import _engine
from depyf.inputs.bytecode import UnreadableError, Version, magic_of
from depyf.inputs.member import Member

MAGIC = b"PYZ\0"
_MODULE, _PACKAGE = 0, 1  # 2: data, 3: a namespace package, which has no code


def members(data: bytes) -> Iterator[Member]:
    """The modules in the order of the table. Raises UnreadableError."""
    if len(data) < 12:
        raise UnreadableError(len(data), "expected a PYZ header of 12 bytes, found the end of the data")
    version = _version(data)
    (position,) = struct.unpack("!i", data[8:12])
    for name, (kind, offset, size) in _table(data, position, version):
        if kind in (_MODULE, _PACKAGE):
            path = name.replace(".", "/") + ("/__init__.pyc" if kind == _PACKAGE else ".pyc")
            yield Member(path, _reader(data, offset, size), True, python=version)


def _version(data: bytes) -> Version:
    magic = magic_of(data[4:8])
    version = None if magic is None else _engine.version_of_magic(magic)
    if version is None:
        raise UnreadableError(
            4, "expected the magic number of Python 3.7 - 3.15 in the PYZ, found %s" % data[4:8].hex()
        )
    return version


def _table(data: bytes, position: int, version: Version) -> List[Tuple[str, Tuple[int, int, int]]]:
    if not 12 <= position < len(data):
        raise UnreadableError(8, "expected the offset of the PYZ's table, found %d of %d" % (position, len(data)))
    try:
        table = _engine.constant(data, version, position)
    except ValueError as error:
        raise UnreadableError(position, "expected the PYZ's table, found: %s" % error) from None
    rows = list(table.items()) if isinstance(table, dict) else table
    if not isinstance(rows, (list, tuple)) or not all(_is_row(row) for row in rows):
        raise UnreadableError(position, "expected names with kind, offset and size in the PYZ's table")
    return list(rows)


def _is_row(row: Any) -> bool:
    fits = isinstance(row, tuple) and len(row) == 2 and isinstance(row[0], str) and isinstance(row[1], tuple)
    return fits and len(row[1]) == 3 and all(isinstance(number, int) for number in row[1])


def _reader(data: bytes, offset: int, size: int) -> Callable[[int], bytes]:
    def read(max_size: int) -> bytes:
        if offset < 12 or size < 0 or offset + size > len(data):
            raise UnreadableError(max(offset, 0), "expected a module inside of the PYZ, found %d bytes there" % size)
        return inflated(data[offset : offset + size], max_size, offset)

    return read


def inflated(data: bytes, max_size: int, offset: int, size: Optional[int] = None) -> bytes:
    """What zlib packed. Raises UnreadableError, also for what unpacks to more than `max_size`."""
    unpacking = zlib.decompressobj()
    try:
        result = unpacking.decompress(data, max_size + 1)
    except zlib.error as error:
        raise UnreadableError(
            offset, "expected data compressed by zlib (is it encrypted?), found: %s" % error
        ) from None
    if len(result) > max_size:
        raise UnreadableError(offset, "expected at most %d bytes, found more" % max_size)
    if not unpacking.eof or size is not None and len(result) != size:
        raise UnreadableError(offset, "expected the end of the compressed data, found %d bytes of it" % len(result))
    return result
