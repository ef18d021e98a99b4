"""Checks that the stages of the engine include in one direction only.

A folder of src/ is a stage; CMakeLists.txt lists them in the order in which the data passes through them. A later one
may include an earlier one, never the reverse; the public headers in include/ name no stage at all.
Exit status 1 and a line for each breach.
"""

import pathlib
import re
import sys

STAGES = re.compile(r"^set\(DEPYF_STAGES ([^)]*)\)", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def breaches(root: pathlib.Path) -> list:
    """One text for each include against the direction."""
    order = STAGES.search((root / "CMakeLists.txt").read_text(encoding="utf-8")).group(1).split()
    rank = {stage: index for index, stage in enumerate(order)}
    rank["."] = len(order)  # src/*.cpp: the driver
    rank["cli"] = rank["bindings"] = len(order) + 1
    found = []
    for file in sorted(root.glob("src/**/*")):
        if file.suffix not in (".cpp", ".h", ".def", ".inc"):
            continue
        parts = file.relative_to(root / "src").parts
        stage = parts[0] if len(parts) > 1 else "."
        if stage not in rank:
            found.append(
                "%s: the folder is no stage; add it to DEPYF_STAGES in CMakeLists.txt" % file.relative_to(root)
            )
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if match is None:
                continue
            target = match.group(1).split("/")
            other = target[0] if len(target) > 1 else stage
            if other == "depyf" or other == stage or other not in rank:
                continue
            if rank[other] >= rank[stage]:
                found.append("%s:%d: %s includes %s" % (file.relative_to(root), number, stage, match.group(1)))
    for file in sorted(root.glob("include/**/*.h")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if match is not None and not match.group(1).startswith("depyf/"):
                found.append("%s:%d: a public header includes %s" % (file.relative_to(root), number, match.group(1)))
    return found


def main() -> int:
    """Exit status."""
    found = breaches(pathlib.Path(__file__).resolve().parent.parent)
    for line in found:
        print(line)
    print("include directions: %s" % ("%d breaches" % len(found) if found else "ok"))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
