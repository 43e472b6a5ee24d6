# Shared by start and test: a virtual environment in .venv with the pinned packages, made once and kept up to date.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

say() { printf '%s\n' "$*" >&2; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
        say "This needs root (no sudo here): $*"; return 1
    fi
}

# apt_install PACKAGE...: on Debian and Ubuntu; elsewhere it says what is missing.
apt_install() {
    if ! command -v apt-get >/dev/null; then say "Please install: $*"; return 1; fi
    say "Installing $* ..."
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null 2>&1 && return 0
    as_root apt-get update -qq >&2 && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
}

find_python() {
    local name
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        if command -v "$name" >/dev/null && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
            echo "$name"; return 0
        fi
    done
    return 1
}

# set_up EXTRAS: .venv holds the project with these extras ("" or "[dev]") at the versions of constraints.txt.
set_up() {
    local python stamp wanted
    python=$(find_python) || { apt_install python3 python3-venv && python=$(find_python); } ||
        { say "copilot-ws needs Python 3.11 or later."; return 1; }
    wanted=$(cat pyproject.toml constraints.txt scripts/lib.sh | cksum)
    stamp=".venv/ready${1//[^a-z]/-}"
    [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && [ -x .venv/bin/python ] && return 0
    if [ ! -x .venv/bin/pip ]; then
        rm -rf .venv
        if ! "$python" -m venv .venv >/dev/null 2>&1; then
            rm -rf .venv
            apt_install "$("$python" -c 'import sys; print(f"python3.{sys.version_info[1]}-venv")')" || apt_install python3-venv
            "$python" -m venv .venv || return 1
        fi
    fi
    say "Installing copilot-ws and its packages into .venv (once) ..."
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".$1" || return 1
    echo "$wanted" >"$stamp"
}
