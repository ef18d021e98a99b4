"""The reader and the decoder agree with each interpreter's own `dis` on a sample of its standard library.

The whole library: tools/compare_dis.py without --limit.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLE = 12  # files per version


def test_agrees_with_dis(python_version, native_program):
    tool = os.path.join(ROOT, "tools", "compare_dis.py")
    command = [sys.executable, tool, "--exe", native_program("dis_json"), "--python", python_version[1]]
    result = subprocess.run(command + ["--limit", str(SAMPLE)], stdout=subprocess.PIPE, text=True)
    assert result.returncode == 0, result.stdout
    compared = re.search(r"instructions (\d+) of (\d+)", result.stdout)
    assert compared, result.stdout
    assert int(compared.group(1)) == int(compared.group(2)) > 0
