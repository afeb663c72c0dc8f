#!/usr/bin/env bash
# Everything about the console that needs no server: format, lints, types, dead code, unit tests, sizes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
./build.sh
node_modules/.bin/oxfmt --check .
node_modules/.bin/oxlint --deny-warnings
node_modules/.bin/knip
(cd app && ../node_modules/.bin/vitest run)
node tools/checks/sizes.mjs
