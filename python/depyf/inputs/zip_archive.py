"""Zip archives: .zip, .whl, .egg, .pyz, and programs with one behind them. Only `zipfile` looks at them; nothing is
imported from them."""

import zipfile
import zlib
from typing import BinaryIO, Callable, Iterator

from depyf.inputs.bytecode import UnreadableError
from depyf.inputs.member import Member

_BYTECODE = (".pyc", ".pyo")
_ARCHIVES = (".zip", ".whl", ".egg", ".pyz")


def is_zip(stream: BinaryIO) -> bool:
    """Whether it ends as a zip archive does."""
    return zipfile.is_zipfile(stream)


def members(stream: BinaryIO) -> Iterator[Member]:
    """Bytecode and archives, in the order of names. Raises UnreadableError."""
    try:
        archive = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise UnreadableError(-1, "expected a zip archive, found: %s" % error) from None
    return _members(archive)


def _members(archive: zipfile.ZipFile) -> Iterator[Member]:
    for info in sorted(archive.infolist(), key=lambda info: info.filename):
        if info.filename.endswith(_BYTECODE + _ARCHIVES):
            yield Member(info.filename, _reader(archive, info), info.filename.endswith(_BYTECODE))


def _reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(max_size: int) -> bytes:
        try:
            with archive.open(info) as member:
                data = member.read(max_size + 1)
        # RuntimeError: encrypted; NotImplementedError: a compression that this Python lacks
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError, ValueError) as error:
            text = "expected a readable member of the zip archive, found: %s" % error
            raise UnreadableError(info.header_offset, text) from None
        if len(data) > max_size:
            raise UnreadableError(max_size, "expected at most %d bytes, found more" % max_size)
        return data

    return read
