"""All figures of the README's table, in one run on one machine: python benchmarks/run.py [--quick] [--no-readme]

standard_library.py  3.11's standard library from .pyc to source, against the time CPython takes to compile it
peers.py             other decompilers on files that they manage; each is installed into an environment of its own
growth.py            time and memory by size and by depth
"""

import argparse
import os
import platform
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import growth  # noqa: E402
import peers  # noqa: E402
import standard_library  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
README = os.path.join(ROOT, "README.md")
BEGIN, END = "<!-- made by `make bench` -->\n", "<!-- end of what `make bench` makes -->\n"


def machine() -> str:
    """What it ran on."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as stream:
            model = next(line.split(":", 1)[1].strip() for line in stream if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return "%s, one thread, Python %s" % (model, platform.python_version())


def main() -> int:
    """Exit status 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a few files only")
    parser.add_argument("--no-readme", action="store_true", help="print the tables, leave README.md as it is")
    options = parser.parse_args()
    parts = [machine() + ".\n"]
    for part in (standard_library, peers, growth):
        print("%s ..." % part.__name__, file=sys.stderr, flush=True)
        parts.append(part.table(options.quick))
    text = "\n".join(parts)
    print(text)
    if not options.no_readme:
        with open(README, encoding="utf-8") as stream:
            readme = stream.read()
        before, rest = readme.split(BEGIN)
        with open(README, "w", encoding="utf-8") as stream:
            stream.write(before + BEGIN + "\n" + text + "\n" + END + rest.split(END)[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
