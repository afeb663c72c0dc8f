#!/usr/bin/env bash
# Builds the console into app/dist: API types from openapi.json, type check, bundle. Does nothing if nothing changed
# since the last build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
./setup.sh

now=$(./fingerprint.sh)
if [ -f app/dist/index.html ] && [ "$(cat app/.built 2>/dev/null)" = "$now" ]; then
    echo "console: up to date"
    exit 0
fi
./types.sh
node_modules/.bin/tsc --noEmit -p app
(cd app && ../node_modules/.bin/vite build --logLevel warn)
echo "$now" >app/.built
echo "console: built"
