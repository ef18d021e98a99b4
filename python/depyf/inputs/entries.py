"""Paths on the command line, and all the bytecode that they lead to: files, folders, archives, archives in archives."""

import io
import os
import sys
from contextlib import ExitStack
from typing import BinaryIO, Callable, Iterator, NamedTuple, Optional, Set, Tuple

from depyf.inputs import bytecode, carchive, pyz, zip_archive
from depyf.inputs.bytecode import UnreadableError, Version
from depyf.inputs.member import Member, safe_path

BYTECODE = (".pyc", ".pyo")
ARCHIVES = (".zip", ".whl", ".egg", ".pyz")
_DEEPEST = 4  # archives in archives


class Entry(NamedTuple):
    """One piece of bytecode."""

    label: str  # for messages: the path, and behind a colon the name in the archive
    target: str  # relative path of the .py file for it, "" for what has no name
    read: Callable[[], bytes]  # raises OSError or ValueError
    python: Optional[Version]  # what the container says


def entries(given: str, max_size: int, opened: ExitStack) -> Iterator[Entry]:
    """Everything in one path ("-": standard input), in the order of names. Archives stay open until `opened` is closed.

    What cannot be read becomes an entry whose `read` raises; its neighbours are not touched.
    """
    if given == "-":
        yield Entry("<stdin>", "stdin.py", lambda: sys.stdin.buffer.read(), None)
    elif os.path.isdir(given):
        yield from _of_folder(given, max_size, opened)
    else:
        yield from _of_file(given, given, "", max_size, opened)


def _of_folder(folder: str, max_size: int, opened: ExitStack) -> Iterator[Entry]:
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(root, name)
            relative = os.path.relpath(path, folder)
            if name.endswith(BYTECODE):
                yield Entry(path, os.path.splitext(relative)[0] + ".py", _reader(path, max_size), None)
            elif name.endswith(ARCHIVES):
                yield from _of_file(path, path, relative + "/", max_size, opened)


def _of_file(path: str, label: str, prefix: str, max_size: int, opened: ExitStack) -> Iterator[Entry]:
    target = prefix[:-1] if prefix else os.path.basename(path)
    try:
        stream = open(path, "rb")  # noqa: SIM115
        opened.callback(stream.close)
        members = _members(stream)
        if members is not None:
            yield from _of_members(members, label, prefix, max_size, 1)
            return
        stream.close()
    except (OSError, ValueError) as error:
        yield _broken(label, target, error)
        return
    yield Entry(label, os.path.splitext(target)[0] + ".py", _reader(path, max_size), None)


def _members(stream: BinaryIO) -> Optional[Iterator[Member]]:
    """What is in the archive; None where the file is none. Told by content, never by name."""
    start = stream.read(16)
    stream.seek(0)
    if start[:4] in (b"PK\3\4", b"PK\5\6"):
        return zip_archive.members(stream)
    if bytecode.magic_of(start) is not None or start[:1] in (b"c", b"\xe3"):
        return None
    found = carchive.find(stream)
    if found is not None:
        return carchive.members(stream, found)
    if start[:4] == pyz.MAGIC:  # after the archive that may begin with one
        stream.seek(0)
        return pyz.members(stream.read())
    # a zip with something in front: `#!` and a line, or a program that starts Python
    if start[:2] in (b"#!", b"MZ") or start[:4] == b"\x7fELF":
        if zip_archive.is_zip(stream):
            return zip_archive.members(stream)
        if start[:2] != b"#!":
            raise UnreadableError(0, "expected bytecode, a zip or a PyInstaller archive in the program, found none")
    return None


def _of_members(members: Iterator[Member], label: str, prefix: str, max_size: int, depth: int) -> Iterator[Entry]:
    taken: Set[str] = set()
    for member in members:
        name = "%s:%s" % (label, member.name)
        target = _unique(safe_path(member.name), taken)
        if member.is_bytecode:
            yield Entry(name, prefix + os.path.splitext(target)[0] + ".py", _sized(member, max_size), member.python)
            continue
        try:
            inner = None if depth >= _DEEPEST else _members(io.BytesIO(member.read(max_size)))
        except (OSError, ValueError) as error:
            yield _broken(name, prefix + target, error)
            continue
        if inner is not None:
            here = prefix if member.is_transparent else "%s%s/" % (prefix, target)
            yield from _checked(_of_members(inner, name, here, max_size, depth + 1), name, prefix + target)


def _checked(found: Iterator[Entry], label: str, target: str) -> Iterator[Entry]:
    """The same, with an entry that raises where the archive turns out to be broken."""
    try:
        yield from found
    except (OSError, ValueError) as error:
        yield _broken(label, target, error)


def _unique(path: str, taken: Set[str]) -> str:
    """`path`, or with a number where the archive has that name already."""
    stem, extension = os.path.splitext(path)
    result, number = path, 1
    while os.path.splitext(result)[0] in taken:
        number += 1
        result = "%s_%d%s" % (stem, number, extension)
    taken.add(os.path.splitext(result)[0])
    return result


def _sized(member: Member, max_size: int) -> Callable[[], bytes]:
    return lambda: member.read(max_size)


def _reader(path: str, max_size: int) -> Callable[[], bytes]:
    def read() -> bytes:
        with open(path, "rb") as stream:
            data = stream.read(max_size + 1)
        if len(data) > max_size:
            raise UnreadableError(max_size, "expected at most %d bytes, found more" % max_size)
        return data

    return read


def _broken(label: str, target: str, error: Exception) -> Entry:
    def read() -> bytes:
        raise error

    return Entry(label, os.path.splitext(target)[0] + ".py", read, None)


def with_data(entry: Entry) -> Tuple[Optional[bytes], Optional[Exception]]:
    """What is read, or why it cannot be."""
    try:
        return entry.read(), None
    except (OSError, ValueError, MemoryError) as error:
        return None, error
