"""Pythons of other versions on this machine."""

import glob
import os
import shutil
import subprocess
import sys
from typing import Iterator, Optional

from depyf.inputs.bytecode import Version

_ASK = "import sys; sys.stdout.write('%s %d.%d' % ((sys.implementation.name,) + sys.version_info[:2]))"


def find(version: Version) -> Optional[str]:
    """This one, one on PATH, or one of pyenv's; None where there is none of that version."""
    wanted = "cpython %d.%d" % version
    for path in _candidates(version):
        if version_of(path) == wanted:
            return path
    return None


def version_of(path: str) -> str:
    """`cpython 3.8`, or "" where it does not run."""
    try:
        # -I -S: nothing of the folder we are in or of its packages is run
        done = subprocess.run(
            [path, "-I", "-S", "-c", _ASK], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("ascii", "replace") if done.returncode == 0 else ""


def _candidates(version: Version) -> Iterator[str]:
    if sys.version_info[:2] == version and sys.executable:
        yield sys.executable
    name = "python%d.%d" % version
    for found in (shutil.which(name), shutil.which("python3"), shutil.which("python")):
        if found:
            yield found
    root = os.environ.get("PYENV_ROOT") or os.path.join(os.path.expanduser("~"), ".pyenv")
    pattern = os.path.join(root, "versions", "%d.%d.*" % version, "bin", "python")
    yield from sorted(glob.glob(pattern), reverse=True)
