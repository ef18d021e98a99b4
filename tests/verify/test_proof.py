"""The proof inside the engine: what it calls proved comes back the same from that version's compiler, and a near miss is
never proved."""

import collections
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "roundtrip"))
from test_roundtrip import COMPILE, case_files, library_files  # noqa: E402

# percent of the code objects of cases and sample that have to be proved
LEAST = {"3.7": 99, "3.8": 99, "3.9": 99, "3.10": 98, "3.11": 95, "3.12": 85, "3.13": 90, "3.14": 85, "3.15": 80}


def compiled(python, files, folder):
    os.makedirs(folder)
    jobs = "".join("%s\t%s\n" % (path, os.path.join(folder, "%04d.pyc" % i)) for i, path in enumerate(files))
    subprocess.run([python, "-W", "ignore", "-c", COMPILE], input=jobs, check=True, text=True)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def wrongly_proved(python, program, files, folder):
    """(code objects, proved ones, [(file, code object, what the compiler makes of the text)] that are wrongly proved)."""
    pycs = compiled(python, files, os.path.join(str(folder), "pyc"))
    sources = os.path.join(str(folder), "py")
    os.makedirs(sources)
    out = subprocess.check_output([program, sources] + pycs).decode("utf-8", "replace")
    proved, total = collections.Counter(), 0
    for line in out.splitlines():
        name, code, verdict = line.split("\t")[:3]
        total += 1
        proved[name, code] += verdict in ("exact", "equivalent")
    referee = [python, os.path.join(HERE, "referee.py"), os.path.dirname(pycs[0]), sources]
    wrong = []
    for line in subprocess.check_output(referee, text=True).splitlines():
        row = json.loads(line)
        same = collections.Counter(row["same"])
        for code, what in row["different"]:
            if proved[row["file"], code] > same[code]:
                wrong.append((files[int(row["file"][:4])], code, what))
    return total, sum(proved.values()), wrong


def test_nothing_is_wrongly_proved(python_version, native_program, tmp_path):
    version, python = python_version
    files = case_files(version) + library_files(python)
    total, proved, wrong = wrongly_proved(python, native_program("prove_pycs"), files, tmp_path)
    assert not wrong
    assert 100.0 * proved / total >= LEAST[version], "%d of %d" % (proved, total)


def test_near_misses_are_not_proved(python_version, native_program, tmp_path):
    pycs = compiled(python_version[1], [os.path.join(HERE, "mutated.py")], str(tmp_path / "pyc"))
    done = subprocess.run([native_program("mutate"), pycs[0]], stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout
