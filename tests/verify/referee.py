"""Which code objects come back the same from that version's own compiler? Runs on CPython 3.7 - 3.15.

    pythonX.Y referee.py PYC_FOLDER SOURCE_FOLDER

For each NAME.pyc and the decompiled NAME.py: compiles the text, compares by depyf/same_code.py and prints a JSON
line: {"file", "same": [qualified names], "different": [[name, reason], ...]}.
"""

import json
import marshal
import os
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 2, "python", "depyf"))
from same_code import difference  # noqa: E402


def pairs(first, second):
    """(qualified name, difference or None) for the two code objects and all that they load in the same place."""
    todo, seen = [(first, second, "")], set()
    while todo:
        a, b, prefix = todo.pop()
        if id(a) in seen:
            continue
        seen.add(id(a))
        name = getattr(a, "co_qualname", prefix + a.co_name)
        nested = []
        yield name, difference(a, b, nested)
        inside = "" if a.co_name == "<module>" else name + "."
        todo.extend((x, y, inside) for x, y in nested)


def main(pycs, sources):
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(10000)
    for name in sorted(os.listdir(pycs)):
        with open(os.path.join(pycs, name), "rb") as f:
            original = marshal.loads(f.read()[16:])
        row = {"file": name, "same": [], "different": []}
        try:
            with open(os.path.join(sources, name[:-1]), "rb") as f:
                again = compile(f.read(), name, "exec", dont_inherit=True)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            row["different"].append(["<module>", "%s: %s" % (type(error).__name__, error)])
        else:
            for code, what in pairs(original, again):
                if what is None:
                    row["same"].append(code)
                else:
                    row["different"].append([code, what[:300]])
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
