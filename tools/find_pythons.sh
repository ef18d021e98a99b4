#!/usr/bin/env bash
# Prints the path of one interpreter of each version 3.7 - 3.15 that is here: on the PATH, else among pyenv's.
for minor in 7 8 9 10 11 12 13 14 15; do
    found=
    for candidate in "$(command -v "python3.$minor" || true)" "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$minor."*/bin/python; do
        [ -x "$candidate" ] || continue
        "$candidate" -c "import sys; raise SystemExit(sys.version_info[:2] != (3, $minor))" 2>/dev/null || continue
        found=$candidate
        break
    done
    [ -z "$found" ] || echo "$found"
done
