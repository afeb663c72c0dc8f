#!/usr/bin/env bash
# Checks the console without a server: format, lints, types, dead code, unit tests, size budgets. Skips the checks if
# nothing changed since they passed. The sizes are always printed.
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
