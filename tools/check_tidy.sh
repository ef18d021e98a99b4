#!/usr/bin/env bash
# clang-tidy over the engine, as many files at once as there are processors. $1 is a configured build folder. A file is checked again only when it, any header or the configuration has changed.
set -euo pipefail
build=$1
stamps=$build/tidy
mkdir -p "$stamps"
common=$(cat .clang-tidy $(git ls-files --cached --others --exclude-standard '*.h' '*.def' '*.inc') | sha256sum)

check() {
    stamp=$2/$( (echo "$3"; cat "$1") | sha256sum | cut -c1-32)
    [ ! -e "$stamp" ] || return 0
    output=$(clang-tidy --quiet --extra-arg=-w -p "$4" "$1" 2>&1) || { echo "$output"; exit 1; }
    touch "$stamp"
}
export -f check
git ls-files --cached --others --exclude-standard 'src/*.cpp' | grep -v '^src/bindings/' |
    xargs -P "$(nproc)" -I{} bash -c 'check "$@"' _ {} "$stamps" "$common" "$build"
echo "clang-tidy: ok"
