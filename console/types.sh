#!/usr/bin/env bash
# Generates the API types, app/src/api/schema.ts, from the committed openapi.json. The generator has its own package,
# because it needs an older TypeScript than the console. A field with a default is optional in a request, so it is not
# generated as required.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

target=app/src/api/schema.ts
if [ ! -f "$target" ] || [ ../openapi.json -nt "$target" ] || [ types.sh -nt "$target" ]; then
    tools/openapi/node_modules/.bin/openapi-typescript ../openapi.json --default-non-nullable=false -o "$target" >/dev/null
fi
