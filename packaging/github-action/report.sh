#!/usr/bin/env bash
# The step of action.yml, which sets the variables. Its exit code is 0 unless FAIL_ON_ERROR is true: a build must not fail
# because its result cannot be reported.
set -uo pipefail

give_up() {
    echo "::warning title=Reflect::$1"
    [ "$FAIL_ON_ERROR" != true ]
    exit
}

[ -n "$REFLECT_API_KEY" ] || give_up "There is no key. Workflows for pull requests from forks have no secrets."

# One pattern per line. Older versions of bash have no `**`.
shopt -s nullglob
shopt -s globstar 2>/dev/null
results=()
IFS=$'\n'
for file in $JUNIT; do [ ! -f "$file" ] || results+=(--junit "$file"); done
for file in $TAP; do [ ! -f "$file" ] || results+=(--tap "$file"); done
unset IFS

if [ ${#results[@]} -eq 0 ]; then
    case "$OUTCOME" in
    pass | success) results=(--pass) ;;
    fail | failure) results=(--fail) ;;
    cancelled | skipped)
        echo "The job was $OUTCOME, so there is nothing to report."
        exit 0
        ;;
    *) give_up "There is no file of test results, and no outcome." ;;
    esac
fi

if ! command -v reflect >/dev/null; then
    # Only the program: the other packages are for servers.
    folder="$RUNNER_TEMP/reflect"
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --ignore-requires-python --target "$folder" "$PACKAGE" ||
        give_up "The program reflect cannot be installed. Install it before this step, or set the input package."
    PATH="$folder/bin:$PATH"
fi

build="run $GITHUB_RUN_ID $GITHUB_RUN_ATTEMPT $GITHUB_JOB $JOB_INDEX"
url="$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID"
reflect signal --source "$SOURCE" --key "$RUN_KEY" --idempotency-key "$build" --url "$url" "${results[@]}" ||
    give_up "The result was not reported (exit code $?); the log has the reason."
