#!/usr/bin/env bash
# Writes the types of the contract, app/src/api/schema.ts, from the committed openapi.json. The generator has a package
# of its own because it needs an older TypeScript than the console. What has a default may be left out of a request, so it
# is not taken for something that is always there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

target=app/src/api/schema.ts
if [ ! -f "$target" ] || [ ../openapi.json -nt "$target" ] || [ types.sh -nt "$target" ]; then
    tools/openapi/node_modules/.bin/openapi-typescript ../openapi.json --default-non-nullable=false -o "$target" >/dev/null
fi
