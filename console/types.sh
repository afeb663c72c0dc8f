#!/usr/bin/env bash
# Writes the types of the contract, app/src/api/schema.ts, from the committed openapi.json. The generator has a package
# of its own because it needs an older TypeScript than the console.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

target=app/src/api/schema.ts
if [ ! -f "$target" ] || [ ../openapi.json -nt "$target" ]; then
    tools/openapi/node_modules/.bin/openapi-typescript ../openapi.json -o "$target" >/dev/null
fi
