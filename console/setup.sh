#!/usr/bin/env bash
# Installs the packages of the lock file, without running any code of theirs. Does nothing when they are there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

stamp=node_modules/.installed
if ! cmp -s package-lock.json "$stamp"; then
    npm ci --no-progress
    cp package-lock.json "$stamp"
fi
