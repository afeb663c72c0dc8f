#!/usr/bin/env bash
# Checks the package without a server: format, lints, types, generated code, how others resolve it, its public interface,
# its sizes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
./build.sh
node_modules/.bin/oxfmt --check . >/dev/null || { node_modules/.bin/oxfmt --check .; exit 1; }
node_modules/.bin/oxlint --deny-warnings
# The core must work where Node's modules and types do not exist.
node_modules/.bin/tsc -p tsconfig.core.json
node_modules/.bin/tsc -p tsconfig.examples.json
node_modules/.bin/publint --strict
node_modules/.bin/attw --pack . --profile esm-only --quiet
node tools/api-report.mjs --check
node checks/package.mjs
node tools/sizes.mjs
