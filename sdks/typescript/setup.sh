#!/usr/bin/env bash
# Installs the packages of the lock file without install scripts. Does nothing if they are installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

stamp=node_modules/.installed
if ! cmp -s package-lock.json "$stamp"; then
    # Not `npm ci`: it rejects a lock file without the builds for other platforms, which a registry may not have.
    # Versions and digests still come from the lock file, which must not change.
    npm install --no-save --no-progress
    git diff --exit-code package-lock.json
    cp package-lock.json "$stamp"
fi
