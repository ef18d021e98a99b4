"""Fixtures that tests of several folders share: native test programs and the interpreters on this machine.

DEPYF_NATIVE: folder of the programs that -DDEPYF_TESTS=ON builds; default: the build*/ folders of the checkout.
DEPYF_PYTHONS: interpreters, separated as in PATH; default: python3.N on PATH, else those of pyenv.
"""

import glob
import os
import shutil
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VERSIONS = ["3.%d" % minor for minor in range(7, 16)]


def version_of(python):
    script = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        return subprocess.check_output(
            [python, "-c", script], universal_newlines=True, stderr=subprocess.DEVNULL
        ).strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def interpreter(version):
    """The path of a CPython of that version, None where there is none."""
    given = os.environ.get("DEPYF_PYTHONS")
    if given:
        candidates = given.split(os.pathsep)
    else:
        pyenv = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
        on_path = shutil.which("python" + version)
        candidates = ([on_path] if on_path else []) + glob.glob(
            os.path.join(pyenv, "versions", version + ".*", "bin", "python")
        )
    return next((python for python in candidates if version_of(python) == version), None)


@pytest.fixture(params=VERSIONS)
def python_version(request):
    """(version, interpreter) for each supported version; those that are not installed are skipped by name."""
    python = interpreter(request.param)
    if python is None:
        pytest.skip("no CPython %s on this machine" % request.param)
    return request.param, python


@pytest.fixture
def native_program():
    """A function from the name of a native test program to its path; skips where it has not been built."""

    def find(name):
        given = os.environ.get("DEPYF_NATIVE")
        folders = [given] if given else glob.glob(os.path.join(ROOT, "build*"))
        found = [os.path.join(folder, name) for folder in folders if os.access(os.path.join(folder, name), os.X_OK)]
        if not found:
            pytest.skip("%s is not built: configure with -DDEPYF_TESTS=ON" % name)
        return max(found, key=os.path.getmtime)

    return find
