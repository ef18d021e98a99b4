#!/usr/bin/env bash
# Makes the virtual environment in the folder $1 with the Python $2, ready to build the package. As root on Debian it
# also installs what is missing for that: venv, Python's headers, ccache. Safe to run again.
set -euo pipefail
venv=$1
python=$2

apt_install() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    apt-get update -qq >/dev/null 2>&1 || true
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1
}

command -v ccache >/dev/null || apt_install ccache || echo "ccache is not there; builds go on without it"

if [ ! -x "$venv/bin/pip" ]; then
    "$python" -c 'import ensurepip, venv' 2>/dev/null || apt_install python3-venv ||
        { echo "Python's venv module is missing: install python3-venv"; exit 1; }
    rm -rf "$venv"
    "$python" -m venv "$venv"
fi
headers='import os, sysconfig; raise SystemExit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))'
"$venv/bin/python" -c "$headers" || apt_install python3-dev || { echo "Python.h is missing: install python3-dev"; exit 1; }

pip="$venv/bin/python -m pip install --quiet --disable-pip-version-check"
$pip --requirement requirements-build.txt
command -v cmake >/dev/null || $pip 'cmake>=3.18'
command -v ninja >/dev/null || $pip ninja
