#!/usr/bin/env bash
# Runs the browser against the real binary. The last line says how many tests passed; anything but `0 failed` is a failure.
# Words that follow are handed to Playwright: a file, or `-g` and a part of a name.
set -euo pipefail
REFLECT_BINARY=$(realpath "${REFLECT_BINARY:?is the server; \`just e2e\` sets it}")
export REFLECT_BINARY
cd "$(dirname "${BASH_SOURCE[0]}")"
exec ../node_modules/.bin/playwright test "$@"
