"""One file in an archive."""

import re
from typing import Callable, NamedTuple, Optional

from depyf.inputs.bytecode import Version

_UNSAFE = re.compile(r'[\0-\x1f<>:"|?*\x7f]')


class Member(NamedTuple):
    """A name and the way to its bytes."""

    name: str  # as the archive has it
    read: Callable[[int], bytes]  # at most so many bytes; raises ValueError
    is_bytecode: bool  # otherwise perhaps an archive
    is_transparent: bool = False  # an archive whose members count as the outer one's
    python: Optional[Version] = None


def safe_path(name: str) -> str:
    """A relative path that stays inside of the folder it is joined to, whatever an archive calls its members."""
    parts = []
    for part in name.replace("\\", "/").split("/"):
        part = _UNSAFE.sub("_", part)
        if part.strip(". "):
            parts.append(part[:200])
    return "/".join(parts) or "unnamed"
