"""Text and bytes to files and to standard output."""

import os
import sys


def encoded(text: str) -> bytes:
    """UTF-8, whatever the locale; a lone surrogate as its three bytes."""
    return text.encode("utf-8", "surrogatepass")


def write(target: str, text: str) -> None:
    """Whole or not at all: a reader never sees half a file. Makes the folder. Raises OSError."""
    write_bytes(target, encoded(text))


def write_bytes(target: str, data: bytes) -> None:
    """See `write`."""
    folder = os.path.dirname(target)
    if folder:
        os.makedirs(folder, exist_ok=True)
    replace(target, data)


def replace(target: str, data: bytes) -> None:
    """As `write_bytes`, into a folder that is there."""
    temporary = "%s.%d.part" % (target, os.getpid())
    try:
        with open(temporary, "wb") as stream:
            stream.write(data)
        os.replace(temporary, target)
    except OSError:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def show(text: str) -> None:
    """To standard output."""
    show_bytes(encoded(text))


def show_bytes(data: bytes) -> None:
    """To standard output."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
