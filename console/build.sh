#!/usr/bin/env bash
# Builds the console into app/dist: types from the committed contract, type check, bundle. Does nothing when nothing
# changed since the last build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
./setup.sh

stamp=app/.built
now=$(git ls-files -z --cached --others --exclude-standard -- app tools package-lock.json ../openapi.json |
    xargs -0 sha256sum | sha256sum)
if [ -f app/dist/index.html ] && [ "$(cat "$stamp" 2>/dev/null)" = "$now" ]; then
    echo "console: up to date"
    exit 0
fi
./types.sh
node_modules/.bin/tsc --noEmit -p app
(cd app && ../node_modules/.bin/vite build --logLevel warn)
echo "$now" >"$stamp"
echo "console: built"
