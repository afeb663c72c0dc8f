#!/usr/bin/env bash
# Runs every file of browser tests alone, in a random order. The seed is printed and can be given to repeat the order.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

seed=${1:-$RANDOM}
passed=0
failed=()
for file in $(printf '%s\n' tests/*.spec.ts | shuf --random-source=<(yes "$seed")); do
    if ./run.sh --no-deps "$file"; then passed=$((passed + 1)); else failed+=("$file"); fi
done
printf 'seed %s: %s\n' "$seed" "${failed[*]:-all files passed}"
printf 'e2e-files: %s passed, %s failed\n' "$passed" "${#failed[@]}"
[ ${#failed[@]} -eq 0 ]
