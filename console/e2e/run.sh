#!/usr/bin/env bash
# Runs the browser tests against the real binary. The last line prints how many tests passed and failed. Arguments are
# passed to Playwright: a file, or `-g` and a part of a test name.
set -euo pipefail
REFLECT_BINARY=$(realpath "${REFLECT_BINARY:?is the path of the server binary; \`just e2e\` sets it}")
export REFLECT_BINARY
cd "$(dirname "${BASH_SOURCE[0]}")"
exec ../node_modules/.bin/playwright test "$@"
