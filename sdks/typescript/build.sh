#!/usr/bin/env bash
# Builds the package into dist and its tests into build. Does nothing if nothing changed since the last build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
./setup.sh

now=$(git ls-files -z --cached --others --exclude-standard -- src tests tools 'tsconfig*.json' package-lock.json ../../openapi.json |
    while IFS= read -r -d '' file; do if [ -f "$file" ]; then printf '%s\0' "$file"; fi; done |
    xargs -0 sha256sum | sha256sum)
if [ -f dist/index.js ] && [ "$(cat build/.built 2>/dev/null)" = "$now" ]; then
    exit 0
fi
rm -rf dist build
node tools/bodies.mjs
node_modules/.bin/tsc
node_modules/.bin/tsc -p tsconfig.tests.json
echo "$now" >build/.built
