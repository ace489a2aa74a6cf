#!/bin/sh
# Finds a Python, or brings one, and hands over to `python -m bootstrap` with all its arguments.
#
# POSIX sh and nothing else, so that the bash 3.2 of macOS runs it as dash does. Where the machine has
# no Python that will do, the pinned uv is fetched, held against its hash, and installs one. All of
# that goes below .runtime; a second run finds it there and asks nobody.
#
#   MUSE_PYTHON        the Python to use, in place of what is found
#   MUSE_RUNTIME_DIR   where things are made, in place of .runtime
#   MUSE_UV_URL        where uv's archive is, in place of its release page; its hash stays
#   MUSE_OFFLINE, MUSE_CACHE_DIR    as `python -m bootstrap` has them
#   curl's and uv's own variables hold: https_proxy, UV_PYTHON_INSTALL_MIRROR and the others
set -eu

# As in pins.toml: a test holds the two together.
UV_VERSION=0.11.14
UV_URL='https://github.com/astral-sh/uv/releases/download/{version}/uv-{platform}.tar.gz'
UV_SHA256_AARCH64_APPLE_DARWIN=4333af5c0730d94323a7819bbdf87ce92dd07fc857d67fff0059e0fca31b5c02
PYTHON_VERSION=3.12

# What bootstrap needs: its syntax, what makes an environment, and on a Mac no Rosetta, under which
# everything would be made for Intel.
ENOUGH='import ensurepip, os, ssl, sys, venv
translated = sys.platform == "darwin" and os.uname().machine != sys.argv[1]
sys.exit(sys.version_info < (3, 11) or translated)'
# The checkout in front of everything else that is importable, from whatever folder we were called.
HAND_OVER='import runpy, sys
sys.path.insert(0, sys.argv.pop(1))
runpy.run_module("bootstrap", run_name="__main__", alter_sys=True)'

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
made=${MUSE_RUNTIME_DIR:-$root/.runtime}
uv=$made/tools/uv-$UV_VERSION/uv

say() {
    printf 'setup: %s\n' "$1" >&2
}

fail() { # what is wrong, then a line for each thing to do
    say "$1"
    shift
    for line in "$@"; do
        printf '  %s\n' "$line" >&2
    done
    exit 1
}

has() {
    command -v "$1" >/dev/null 2>&1
}

system() {
    uname -sm
}

# Without Apple's developer tools its commands in /usr/bin are stubs, which do nothing but open the
# window of an installer.
is_stub() {
    case $(system):$1 in
        Darwin*:/usr/bin/*) ! xcode-select -p >/dev/null 2>&1 ;;
        *) false ;;
    esac
}

is_enough() {
    machine=$(system)
    ! is_stub "$1" && "$1" -I -c "$ENOUGH" "${machine#* }" >/dev/null 2>&1
}

# One that we brought comes last: beside the machine's own, it may be a runtime's.
found_python() {
    for name in python3.13 python3.12 python3.11 python3; do
        candidate=$(command -v "$name") || continue
        if is_enough "$candidate"; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    for candidate in "$made/python"/*/bin/"python$PYTHON_VERSION"; do
        if [ -x "$candidate" ] && is_enough "$candidate"; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    return 1
}

filled() { # an address, a place in it, and what belongs there
    text=$1
    while :; do
        case $text in
            *"$2"*) text=${text%%"$2"*}$3${text#*"$2"} ;;
            *) break ;;
        esac
    done
    printf '%s\n' "$text"
}

is_offline() {
    case ${MUSE_OFFLINE:-} in
        1 | [Tt][Rr][Uu][Ee] | [Yy][Ee][Ss]) return 0 ;;
    esac
    case " $* " in
        *' --offline '*) return 0 ;;
    esac
    return 1
}

sha256_of() {
    if has shasum; then
        shasum -a 256 "$1" | cut -d ' ' -f 1
    elif has sha256sum; then
        sha256sum "$1" | cut -d ' ' -f 1
    else
        fail "neither shasum nor sha256sum is on the PATH, to verify what is fetched" \
            "try: a PATH with /usr/bin in it, or MUSE_PYTHON=/path/to/python3 $0"
    fi
}

# What is given a name of its own is whole and verified; what was cut is begun again.
fetch_uv() {
    case $(system) in
        'Darwin arm64')
            platform=aarch64-apple-darwin
            pinned=$UV_SHA256_AARCH64_APPLE_DARWIN
            ;;
        Darwin*)
            fail "there is no Python 3.11 or newer with venv on the PATH, and none is brought for $(system)" \
                "try: install one from python.org" \
                "or: MUSE_PYTHON=/path/to/python3 $0"
            ;;
        *)
            fail "there is no Python 3.11 or newer with venv on the PATH, and none is brought for $(system)" \
                "try: apt install python3 python3-venv, or what your system has for that" \
                "or: MUSE_PYTHON=/path/to/python3 $0"
            ;;
    esac
    url=$(filled "${MUSE_UV_URL:-$UV_URL}" '{version}' "$UV_VERSION")
    url=$(filled "$url" '{platform}' "$platform")
    has curl || fail "curl is not on the PATH, to fetch $url" \
        "try: a PATH with /usr/bin in it, or install Python 3.11 or newer yourself (python.org)"
    say "there is no Python 3.11 or newer here: fetching uv $UV_VERSION, to bring one (20 MB)"
    for left in "$made/tools"/.uv.*; do # of a run that was killed
        kill -0 "${left##*.}" 2>/dev/null || rm -rf "$left"
    done
    fresh=$made/tools/.uv.$$
    trap 'rm -rf "$fresh"' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    mkdir -p "$fresh"
    curl --globoff --fail --location --silent --show-error --retry 2 --output "$fresh/uv.tar.gz" "$url" ||
        fail "$url could not be fetched" \
            "try: is the network within reach? behind a proxy, set https_proxy" \
            "or: MUSE_UV_URL=ADDRESS names another place that has the same archive" \
            "or: install Python 3.11 or newer yourself (python.org), and run this again"
    sha256=$(sha256_of "$fresh/uv.tar.gz")
    [ "$sha256" = "$pinned" ] || fail "$url is not the archive that is pinned: its SHA-256 is $sha256" \
        "pinned: $pinned" \
        "try: run this again; if it stays so, something between here and there changes what is fetched"
    tar -xzf "$fresh/uv.tar.gz" -C "$fresh" || fail "$url could not be unpacked" \
        "try: is the disk full? (df -h)"
    mkdir -p "$made/tools/uv-$UV_VERSION"
    mv -f "$fresh/uv-$platform/uv" "$uv"
    rm -rf "$fresh"
    trap - EXIT HUP INT TERM
}

install_python() {
    say "uv $UV_VERSION installs Python $PYTHON_VERSION below $made/python"
    cache=${MUSE_CACHE_DIR:+$MUSE_CACHE_DIR/uv}
    UV_PYTHON_INSTALL_DIR=$made/python UV_CACHE_DIR=${cache:-${UV_CACHE_DIR:-$made/cache/uv}} \
        UV_PYTHON_INSTALL_BIN=0 "$uv" python install "$PYTHON_VERSION" >&2 ||
        fail "uv could not install Python $PYTHON_VERSION" \
            "try: is the network within reach? UV_PYTHON_INSTALL_MIRROR names another place" \
            "or: install Python 3.11 or newer yourself (python.org), and run this again"
}

# Called from a program that runs under Rosetta, or in a Terminal that does.
if [ "$(system)" = 'Darwin x86_64' ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then
    exec arch -arm64 /bin/sh "$0" "$@"
fi
if [ -n "${MUSE_PYTHON:-}" ]; then
    python=$MUSE_PYTHON
    is_enough "$python" || fail "MUSE_PYTHON=$python is no Python 3.11 or newer with venv for $(system)" \
        "try: unset MUSE_PYTHON, so that one is found or brought"
elif ! python=$(found_python); then
    if is_offline "$@"; then
        fail "there is no Python 3.11 or newer here, and --offline keeps us from bringing one" \
            "try: once without --offline (MUSE_OFFLINE), or MUSE_PYTHON=/path/to/python3 $0"
    fi
    [ -x "$uv" ] || fetch_uv
    install_python
    python=$(found_python) || fail "the Python that uv installed in $made/python does not run" \
        "try: rm -rf '$made/python' '$made/tools', and run this again"
fi
exec "$python" -I -c "$HAND_OVER" "$root" "$@"
