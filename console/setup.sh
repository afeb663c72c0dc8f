#!/usr/bin/env bash
# Installs the packages of the lock file, without running any code of theirs. Does nothing when they are there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

stamp=node_modules/.installed
if ! cmp -s package-lock.json "$stamp"; then
    # Not `npm ci`: it refuses a lock file that lacks the builds for other machines, and a registry need not carry those.
    # Versions and digests are those of the lock file all the same; it must come out as it went in.
    npm install --no-save --no-progress
    git diff --exit-code package-lock.json
    cp package-lock.json "$stamp"
fi
