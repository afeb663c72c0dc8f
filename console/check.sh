#!/usr/bin/env bash
# Everything about the console that needs no server: format, lints, types, dead code, unit tests, sizes. What passed
# once and did not change is not checked again; the sizes are printed in any case.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
./build.sh
now=$(./fingerprint.sh)
if [ "$(cat app/.checked 2>/dev/null)" != "$now" ]; then
    node_modules/.bin/oxfmt --check .
    node_modules/.bin/oxlint --deny-warnings
    node_modules/.bin/tsc --noEmit -p e2e
    node_modules/.bin/knip
    (cd app && ../node_modules/.bin/vitest run)
    echo "$now" >app/.checked
fi
node tools/checks/sizes.mjs
