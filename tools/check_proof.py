"""Cross-checks the proof against that version's own compiler, over whole standard libraries.

    python tools/check_proof.py --exe build/native/prove_pycs --python python3.11 [--python ...] [--every N]

Prints a row for each interpreter: code objects, exact, equivalent, unproved, failed; and every code object that was proved
though its text compiles to something else. Exit status 1 where there is one.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "roundtrip"))
from test_roundtrip import COMPILE  # noqa: E402

SKIPPED = ("test", "tests", "site-packages", "dist-packages", "idle_test", "lib2to3")


def library_files(python, every):
    lib = subprocess.check_output(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"], text=True
    ).strip()
    files = []
    for root, folders, names in os.walk(lib):
        folders[:] = sorted(f for f in folders if f not in SKIPPED)
        files += [os.path.join(root, name) for name in sorted(names) if name.endswith(".py")]
    return files[::every]


def check(python, exe, every, folder):
    """(counts of verdicts, [(file, code object, difference)] that are wrongly proved)."""
    pycs, sources = os.path.join(folder, "pyc"), os.path.join(folder, "py")
    os.makedirs(pycs)
    os.makedirs(sources)
    files = library_files(python, every)
    jobs = "".join("%s\t%s\n" % (path, os.path.join(pycs, "%04d.pyc" % i)) for i, path in enumerate(files))
    subprocess.run([python, "-W", "ignore", "-c", COMPILE], input=jobs, check=True, text=True)
    inputs = [os.path.join(pycs, name) for name in sorted(os.listdir(pycs))]
    out = subprocess.check_output([exe, sources] + inputs).decode("utf-8", "replace")
    counts, proved = collections.Counter(), collections.Counter()
    for line in out.splitlines():
        name, code, verdict = line.split("\t")[:3]
        counts[verdict] += 1
        proved[name, code] += verdict in ("exact", "equivalent")
    referee = [python, os.path.join(ROOT, "tests", "verify", "referee.py"), pycs, sources]
    wrong = []
    for line in subprocess.check_output(referee, text=True).splitlines():
        row = json.loads(line)
        same = collections.Counter(row["same"])
        for code, what in row["different"]:
            if proved[row["file"], code] > same[code]:
                wrong.append((files[int(row["file"][:4])], code, what))
    return counts, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--exe", required=True, help="the program prove_pycs")
    parser.add_argument("--python", action="append", required=True, help="an interpreter")
    parser.add_argument("--every", type=int, default=1, help="one file in so many")
    args = parser.parse_args()
    bad = 0
    for python in args.python:
        with tempfile.TemporaryDirectory() as folder:
            counts, wrong = check(python, args.exe, args.every, folder)
        verdicts = ("exact", "equivalent", "unproved", "failed")
        print(python, sum(counts.values()), *("%s %d" % (v, counts[v]) for v in verdicts), "wrong", len(wrong))
        for row in wrong:
            print("   ", *row)
        bad += len(wrong)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
