#!/usr/bin/env bash
# Names the files ($@) that clang-format would change; `make format` changes them.
status=0
for file in "$@"; do
    clang-format "$file" | cmp -s - "$file" || { echo "not formatted: $file"; status=1; }
done
exit $status
