"""Prints the tree of a dump folder and the first transformed code in it."""

import pathlib
import sys


def main(folder: str) -> int:
    """Exit status: 1 where there is no transformed code."""
    root = pathlib.Path(folder)
    print(root.name + "/")
    files = sorted(path for path in root.rglob("*") if path.is_file())
    for path in files:
        print("    %-90s %7d bytes" % (path.relative_to(root), path.stat().st_size))
    first = next((path for path in files if path.match("__transformed_code_0_for_toy_example.py")), None)
    first = first or next((path for path in files if path.match("__transformed_code_*.py")), None)
    if first is None:
        print("no transformed code was dumped")
        return 1
    print("\n%s:\n" % first.relative_to(root))
    print(first.read_text(encoding="utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
