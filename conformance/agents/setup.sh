#!/usr/bin/env bash
# Installs the coding agents of the lock file into the cache, without install scripts, and prints their folder. Does nothing
# if they are installed. Both are programs for this machine in packages of npm; they need no Node.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

version=$(sha256sum package-lock.json | cut -c1-12)
folder="${REFLECT_CACHE:?}/coding-agents-$version"
if [ ! -e "$folder/.installed" ]; then
    mkdir -p "$folder"
    cp package.json package-lock.json .npmrc "$folder"
    # Not `npm ci`: it rejects a lock file without the builds for other platforms, which a registry may not have.
    npm --prefix "$folder" install --no-save --no-progress >&2
    cmp package-lock.json "$folder/package-lock.json" >&2
    touch "$folder/.installed"
fi
printf '%s\n' "$folder"
