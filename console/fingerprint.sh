#!/usr/bin/env bash
# Prints a hash of all inputs of the console's build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
git ls-files -z --cached --others --exclude-standard -- . ../openapi.json |
    while IFS= read -r -d '' file; do if [ -f "$file" ]; then printf '%s\0' "$file"; fi; done |
    xargs -0 sha256sum | sha256sum
