# Every recipe is one or two lines that can be typed by hand; `just` itself is the wheel `rust-just`.
# `cargo xtask setup` comes first: it installs Postgres, models and the published clients into a cache. The recipes
# that begin with `sdk`, and `seeds`, need `cargo xtask setup --sdk`.

set dotenv-load := true

# Where tests and the conformance run find a Postgres that lets them create databases.
export REFLECT_TEST_DATABASE_URL := env("REFLECT_TEST_DATABASE_URL", "postgres://reflect@127.0.0.1:" + env("REFLECT_DB_PORT", "54329") + "/postgres")

# Over the whole workspace, so features are the same in every recipe; `--bin` then builds only what is named.
build := "cargo build --locked --workspace"

# List the recipes
default:
    @just --list --unsorted

# Install what the project needs (`--sdk` adds the tools of the Python SDK, `--frameworks` agent frameworks, `--ci` all)
setup *args:
    cargo xtask setup {{ args }}

# Start the private Postgres for development and tests
db:
    cargo xtask db start

# Stop it
db-stop:
    cargo xtask db stop

# Run the server against it
serve *args: db
    {{ build }} --bin reflect
    REFLECT_DATABASE_URL="${REFLECT_DATABASE_URL:-$(cargo xtask db create reflect_dev)}" "${CARGO_TARGET_DIR:-target}/debug/reflect" serve --migrate {{ args }}

# Format everything
fmt:
    cargo fmt --all

# Formatting, lints, project rules
check: clippy && tidy
    cargo fmt --all --check

# Lints alone
clippy:
    cargo clippy --workspace --all-targets --locked -- -D warnings

# Project rules alone: layers, sizes, names, SQL, environment, language
tidy:
    cargo xtask tidy

# Figures about structure and language, with their limits (`--static` needs no server, `--report` never fails)
house *args:
    {{ build }} --bin reflect --bin scripted-provider
    cargo xtask house {{ args }}

# Whether one package built alone uses the same features as the whole workspace (`--write` updates workspace-features)
features *args:
    cargo xtask features {{ args }}

# All Rust tests (a part of a name, or `--test it` and such, for some of them)
test *args: db
    cargo test --workspace --locked {{ args }}

# Rust tests that need no database
test-unit *args:
    cargo test --workspace --locked --lib --bins {{ args }}

# Documentation of the Rust crates, without warnings
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --workspace --locked

# The published clients, and ours, against the built binary (`--through published`, `own`, `rust` or `typescript`)
conformance *args: db
    {{ build }} --bin reflect --bin scripted-provider --bin conformance-driver
    sdks/typescript/build.sh
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/run.py {{ args }}

# Outbound connections of a server in use: only the database and the provider are allowed (`--seconds N`)
outbound *args: db
    {{ build }} --bin reflect --bin scripted-provider
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/outbound.py {{ args }}

# The hooks of coding agents, with transcripts and with the agents' own programs (`--rounds N` measures fewer or more prompts)
hooks *args: db
    {{ build }} --bin reflect --bin scripted-provider
    agents="$(REFLECT_CACHE="$(cargo xtask cache)" conformance/agents/setup.sh)" && REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/hooks.py --agents "$agents" {{ args }}

# Runs that arrive as OpenTelemetry spans, from official SDKs and in random order (`--quick`, `--spans N`, `--seed N`)
otlp *args: db
    {{ build }} --bin reflect
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/otlp.py {{ args }}

# The learning loop with a real language model and a real embedder
loop: db
    {{ build }} --bin reflect
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/loop.py

# The lessons of a real language model over 40 reviewed runs: how many are kept, and what is served (`--quick` for 6)
lessons *args: db
    {{ build }} --bin reflect
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/lessons.py {{ args }}

# A change of the embedding model with the real embedder, under load: compared, switched, rolled back, finished
respace: db
    {{ build }} --bin reflect
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/respace.py

# A judge with a real language model: tried out, at work, and overruled
judge: db
    {{ build }} --bin reflect
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/judge.py

# Reviewing in a terminal: the real binary in tmux, killed and resized, with hostile texts in its runs
terminal-review: db
    {{ build }} --bin reflect
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/terminal_review.py

# The loop with the server as its memory: what it leaves there, and what a kill in each phase costs it
reflexion: db
    {{ build }} --bin reflect --bin reflexion
    target="${CARGO_TARGET_DIR:-target}/debug"; "$target/reflexion" check --binary "$target/reflect" --embedder "$(cargo xtask cache minilm)" --onnxruntime "$(cargo xtask cache onnxruntime)/libonnxruntime.so"

# Every example of the Rust client, against a real server and a real language model
rust-examples: db
    {{ build }} --bin reflect --bin reflexion
    {{ build }} --examples
    target="${CARGO_TARGET_DIR:-target}/debug"; "$target/reflexion" examples --folder "$target/examples" --binary "$target/reflect" --embedder "$(cargo xtask cache minilm)" --onnxruntime "$(cargo xtask cache onnxruntime)/libonnxruntime.so"

# Rewrite what is generated from the code; aside first, so that a failed run empties nothing
openapi:
    {{ build }} --bin reflect
    "${CARGO_TARGET_DIR:-target}/debug/reflect" openapi > openapi.json.new && mv openapi.json.new openapi.json
    mkdir -p docs
    "${CARGO_TARGET_DIR:-target}/debug/reflect" configuration > docs/CONFIGURATION.md.new && mv docs/CONFIGURATION.md.new docs/CONFIGURATION.md

# Write the generated pages of the book, then check all of it: links, index, and every block of code
docs *args: db
    {{ build }} --bin reflect
    cargo xtask docs --generate
    cargo xtask docs {{ args }}

# The same without writing anything, with the binary that is built (`--only docs/SCALE.md`, `--check-only`)
docs-check *args: db
    cargo xtask docs {{ args }}

# Kill the server while it takes traces in, and count what was acknowledged and lost
crash-ingest *args: db
    {{ build }} --bin reflect --bin crash-ingest
    target="${CARGO_TARGET_DIR:-target}/debug"; "$target/crash-ingest" --binary "$target/reflect" {{ args }}

# Kill servers between the response to a query and its receipt, and compare the runs that follow with what is stored
crash-receipts *args: db
    {{ build }} --bin reflect --bin crash-receipts
    target="${CARGO_TARGET_DIR:-target}/debug"; "$target/crash-receipts" --binary "$target/reflect" {{ args }}

# Events to a receiver that fails, hangs and crashes, while servers are killed (`--quick` for fewer)
webhooks *args: db
    {{ build }} --bin reflect
    REFLECT_CACHE="$(cargo xtask cache)" "$(cargo xtask cache python-tools)/bin/python" conformance/webhooks.py {{ args }}

# Kill, stop and crash everything that learns, with a Postgres of its own, and look for what was lost, doubled or forgotten
soak *args:
    {{ build }} --bin reflect --bin soak
    set -e; data="$(cargo xtask cache)/db-18-soak"; cargo xtask db start --data "$data" --port 54331; \
        trap 'cargo xtask db stop --data "$data"' EXIT; target="${CARGO_TARGET_DIR:-target}/debug"; \
        REFLECT_TEST_DATABASE_URL="$(cargo xtask db url --data "$data")" "$target/soak" --binary "$target/reflect" {{ args }}

# End processes before and after every external effect, and audit what is left (`--count 10000` at random places, resumable)
kills *args:
    {{ build }} --bin reflect --bin kills
    target="${CARGO_TARGET_DIR:-target}/debug"; "$target/kills" --binary "$target/reflect" {{ args }}

# Full disks, used up connections, slow flushes, clocks that jump, a bad network, failover and restore, under load (`--quick`)
faults *args:
    {{ build }} --bin reflect --bin faults
    target="${CARGO_TARGET_DIR:-target}/debug"; "$target/faults" --binary "$target/reflect" {{ args }}

# Four weeks of use in an hour, with a clock that jumps: nothing grows, and nothing is lost (`--quick` for four days, `--days N`)
endurance *args:
    {{ build }} --bin reflect --bin endurance
    target="${CARGO_TARGET_DIR:-target}/debug"; "$target/endurance" --binary "$target/reflect" {{ args }}

# Every migration since a release on its database, under load and with kills (`--quick` without the release's binary)
upgrade *args:
    {{ build }} --bin reflect --bin upgrade
    {{ if args =~ "--quick" { "" } else { "for release in bench/upgrade/releases/*; do bench/upgrade/release-binary.sh \"${release##*/}\" || true; done" } }}
    target="${CARGO_TARGET_DIR:-target}/debug"; "$target/upgrade" --binary "$target/reflect" {{ if args =~ "--quick" { "" } else { "--old-binaries \"$(cargo xtask cache)/releases\"" } }} {{ args }}

# Make the test data of a release for `just upgrade`, with its binary (bench/upgrade/releases/VERSION/commit names its commit)
release-database version:
    {{ build }} --bin upgrade
    "${CARGO_TARGET_DIR:-target}/debug/upgrade" --binary "$(bench/upgrade/release-binary.sh {{ version }})" --record {{ version }}

# Move a project to another database under kills, and compare it there (`--quick` for a small one)
move-project *args: db
    {{ build }} --bin reflect --bin move-project
    target="${CARGO_TARGET_DIR:-target}/debug"; "$target/move-project" --binary "$target/reflect" --server "$REFLECT_TEST_DATABASE_URL" {{ args }}

# Ingest throughput beside bare INSERTs, with a release build (`--quick` with a debug build, only to see that it runs)
ingest-ratio *args: db
    {{ build }} {{ if args =~ "--quick" { "" } else { "--release" } }} --bin reflect --bin ingest-ratio
    target="${CARGO_TARGET_DIR:-target}/{{ if args =~ "--quick" { "debug" } else { "release" } }}"; "$target/ingest-ratio" --binary "$target/reflect" {{ args }}

# Retrieval latency beside its SQL sent by pgbench, with a release build (`--quick` as above)
query-ratio *args:
    {{ build }} {{ if args =~ "--quick" { "" } else { "--release" } }} --bin query-ratio
    "${CARGO_TARGET_DIR:-target}/{{ if args =~ "--quick" { "debug" } else { "release" } }}/query-ratio" --pgbench "$(find "$(cargo xtask cache postgres)" -name pgbench)" {{ args }}

# Time from a review to the first retrieval of its memory, without model time, with a release build (`--quick` as above)
learn-latency *args:
    {{ build }} {{ if args =~ "--quick" { "" } else { "--release" } }} --bin learn-latency
    "${CARGO_TARGET_DIR:-target}/{{ if args =~ "--quick" { "debug" } else { "release" } }}/learn-latency" {{ args }}

# What learned ranking and lessons gain on public data (`--quick` for two seeds of one cell, `--http` through the server)
case-stream *args:
    {{ build }} {{ if args =~ "--quick" { "" } else { "--release" } }} --bin case-stream
    "${CARGO_TARGET_DIR:-target}/{{ if args =~ "--quick" { "debug" } else { "release" } }}/case-stream" {{ args }}

# What memories gain in tasks of several steps (`--quick` for two seeds, `--http` through the server)
ticket-stream *args:
    {{ build }} {{ if args =~ "--quick" { "" } else { "--release" } }} --bin ticket-stream
    "${CARGO_TARGET_DIR:-target}/{{ if args =~ "--quick" { "debug" } else { "release" } }}/ticket-stream" {{ args }}

# A week of signals with known errors against the rules, and what learning from such signals gains (`--quick` for a short week)
signals *args: db
    {{ build }} --bin reflect --bin signals --bin case-stream
    target="${CARGO_TARGET_DIR:-target}/debug"; "$target/case-stream" --signals && "$target/signals" --binary "$target/reflect" --server "$REFLECT_TEST_DATABASE_URL" {{ args }}

# Precision, recall and cost of redaction on cases from a fixed seed (`--mistakes` lists errors, `--quick` as above)
redaction *args:
    {{ build }} {{ if args =~ "--quick" { "" } else { "--release" } }} --bin redaction
    "${CARGO_TARGET_DIR:-target}/{{ if args =~ "--quick" { "debug" } else { "release" } }}/redaction" {{ args }}

# How cost grows with projects, memories, jobs and requests, with a release build (`--only ROW`, `--list`, `--quick` as above)
scale *args:
    {{ build }} {{ if args =~ "--quick" { "" } else { "--release" } }} --bin reflect --bin scale
    target="${CARGO_TARGET_DIR:-target}/{{ if args =~ "--quick" { "debug" } else { "release" } }}"; "$target/scale" --binary "$target/reflect" --pgbench "$(find "$(cargo xtask cache postgres)" -name pgbench)" {{ args }}

# Benchmarks in their quick forms: a change that breaks one is found here
benches-quick: (query-ratio "--quick") (ingest-ratio "--quick") (learn-latency "--quick") (redaction "--quick") (attack-overhead "--quick")

# Memory poisoning: hostile texts through the published client, attacks with and without defences, what defences cost
poison *args: db
    {{ build }} --bins
    {{ if args =~ "--quick" { "" } else { build + " --release --bin poison" } }}
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/poison.py
    "${CARGO_TARGET_DIR:-target}/{{ if args =~ "--quick" { "debug" } else { "release" } }}/poison" --server "$REFLECT_TEST_DATABASE_URL" {{ args }}

# Attacks on the release build, limited to 1 GB (`--mutants`: also without each defence; `--quick`: a debug build)
attack *args: db
    {{ build }} --bin reflect --bin scripted-provider
    {{ if args =~ "--quick" { "" } else { build + " --release --bin reflect" } }}
    REFLECT_BIN="${CARGO_TARGET_DIR:-target}/{{ if args =~ "--quick" { "debug" } else { "release" } }}/reflect" REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/attacks.py {{ args }}

# Processor time per query and per recorded run, compared with the release build of another commit (`--before BINARY`)
attack-overhead *args: db
    {{ build }} --bin scripted-provider
    {{ build }} {{ if args =~ "--quick" { "" } else { "--release" } }} --bin reflect
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/overhead.py --after "${CARGO_TARGET_DIR:-target}/{{ if args =~ "--quick" { "debug" } else { "release" } }}/reflect" {{ args }}

# What an idle server takes and how soon it is ready
footprint: db
    cargo test --workspace --locked --test it footprint:: -- --nocapture

# Every route against every kind of key that must not pass
tenants: db
    cargo test --workspace --locked --test it tenants:: -- --nocapture

# Requests generated from the API description, as every kind of caller (`--examples N` per operation, `--seed N`)
schemathesis *args: db
    {{ build }} --bin reflect --bin scripted-provider
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/generated_requests.py --python "$(cargo xtask cache schemathesis)/bin/python" {{ args }}

# Generated bad input for every parser of external data (`--count N` cases per target, `--seed N`, `--only NAME`)
fuzz *args:
    {{ build }} --bin fuzz
    "${CARGO_TARGET_DIR:-target}/debug/fuzz" --python "$(cargo xtask cache python-tools)/bin/python" {{ args }}

# The Python SDK: layout, lints, types, and whether what is generated from its sources is fresh
sdk-check:
    "$(cargo xtask cache python-tools)/bin/python" sdks/python/checks/static.py --pyright "$(cargo xtask cache pyright)"

# Its tests, all on one Python, and those that need no framework on every other Python of this machine
sdk-test *args: db
    {{ build }} --bin reflect --bin scripted-provider
    cd sdks/python && PYTHONPATH="$PWD/src" REFLECT_CACHE="$(cargo xtask cache)" "$(cargo xtask cache python-tools)/bin/python" -m pytest -q {{ args }}
    REFLECT_CACHE="$(cargo xtask cache)" "$(cargo xtask cache python-tools)/bin/python" sdks/python/checks/versions.py

# Its wheel: size, what comes with it, what importing it costs
sdk-package:
    python3 sdks/python/checks/package.py --tools "$(cargo xtask cache python-tools)/bin/python" --published "$(cargo xtask cache client-0.3.3)/bin/python"

# Real agents of every framework with an adapter, against a real server (`--only NAME`, `--quick` for one mode of each)
frameworks *args: db
    {{ build }} --bin reflect --bin scripted-provider
    sdks/typescript/build.sh
    REFLECT_CACHE="$(cargo xtask cache)" python3 sdks/python/checks/frameworks/run.py {{ args }}

# Format, lints and strict types of the TypeScript SDK, and its package as npm publishes it
ts-check:
    sdks/typescript/check.sh

# Its tests on Node, Bun and Deno, and the code of its README, against a real server
ts-test *args: db
    {{ build }} --bin reflect --bin scripted-provider
    sdks/typescript/build.sh
    cd sdks/typescript && REFLECT_CACHE="$(cargo xtask cache)" node tools/test.mjs {{ args }}
    REFLECT_CACHE="$(cargo xtask cache)" node sdks/typescript/checks/readme.mjs

# Its delivery through an outage, kills and a full disk; a spool that forgets too early is caught (`--quick`)
ts-delivery *args: db
    {{ build }} --bin reflect --bin scripted-provider
    sdks/typescript/build.sh
    REFLECT_CACHE="$(cargo xtask cache)" python3 sdks/typescript/checks/delivery/run.py {{ args }}

# What a run of the TypeScript SDK costs its process
ts-overhead *args: db
    {{ build }} --bin reflect --bin scripted-provider
    sdks/typescript/build.sh
    REFLECT_CACHE="$(cargo xtask cache)" node sdks/typescript/checks/overhead/run.mjs {{ args }}

# What it costs its caller, beside the published client
sdk-overhead *args: db
    {{ build }} --bin reflect --bin scripted-provider
    REFLECT_CACHE="$(cargo xtask cache)" python3 sdks/python/checks/overhead/run.py {{ args }}

# Whether runs arrive, once each, whatever happens to process, server and disk (`--quick` for a short one)
sdk-delivery *args: db
    {{ build }} --bin reflect --bin scripted-provider
    REFLECT_CACHE="$(cargo xtask cache)" "$(cargo xtask cache python-tools)/bin/python" sdks/python/checks/delivery/run.py {{ args }}

# Every Python block of the documents that specify the SDK, as it stands (`--seeds DIR` or REFLECT_SEEDS says where they are)
seeds *args: db
    {{ build }} --bin reflect --bin scripted-provider
    REFLECT_CACHE="$(cargo xtask cache)" "$(cargo xtask cache python-tools)/bin/python" sdks/python/checks/seeds/run.py {{ args }}

# Every example of the SDK, and every Python block of its README
sdk-examples *args: db
    {{ build }} --bin reflect --bin scripted-provider
    REFLECT_CACHE="$(cargo xtask cache)" "$(cargo xtask cache python-tools)/bin/python" sdks/python/checks/examples.py {{ args }}

# Rewrite what is generated from the SDK's sources: docs/PYTHON.md, and the types of the asynchronous client
sdk-docs:
    "$(cargo xtask cache python-tools)/bin/python" sdks/python/checks/async_stub.py
    "$(cargo xtask cache python-tools)/bin/python" sdks/python/checks/api_page/run.py

# The crates that others can use without the rest, as they would be published
package:
    # What an earlier check unpacked and built under the same version would be checked again. Dependencies stay.
    rm -rf "${CARGO_HOME:-$HOME/.cargo}"/registry/src/-*/refle* "${CARGO_TARGET_DIR:-target}/package-check/package"
    [ ! -d "${CARGO_TARGET_DIR:-target}/package-check" ] || find "${CARGO_TARGET_DIR:-target}/package-check" -depth -name '*refle*' -exec rm -rf {} +
    cargo package --locked --allow-dirty --target-dir "${CARGO_TARGET_DIR:-target}/package-check" -p reflect-memory-types -p reflect-memory-trajectory -p reflect-memory-model -p reflect-memory-reflection-pipeline -p reflect-memory-evaluation -p reflect-memory-reflexion-loop -p reflect-memory-api -p reflect-memory-client
    # What each of them brings along, itself counted; the loop must stay small.
    @for crate in reflect-memory-reflection-pipeline reflect-memory-evaluation reflect-memory-reflexion-loop reflect-memory-client; do \
        count=$(cargo tree --locked -p "$crate" -e normal --prefix none | sed 's/ (\*)$//' | sort -u | wc -l); \
        echo "$crate: $count crates"; \
        [ "$crate" != reflect-memory-reflexion-loop ] || [ "$count" -le 45 ] || exit 1; \
    done

# Everything that is published, into dist/ (`--debug` for a quick one, `--sizes` measures it, `--target` cross-compiles)
release *args:
    packaging/release.sh {{ args }}

# Sign the checksums in dist/ with an SSH key (`just sign KEY`), or verify them (`just sign --verify`)
sign *args:
    packaging/sign.sh {{ args }}

# What is packed: lints of Dockerfile, compose file and service file, the bill of materials, the wheel and its record
packaging-check:
    {{ build }} --bin reflect
    tools="$(cargo xtask cache python-tools)/bin/python"; cd packaging && "$tools" -m ruff format --check . && "$tools" -m ruff check .
    "$(cargo xtask cache packaging-tools)/bin/python" packaging/check.py
    REFLECT_CACHE="$(cargo xtask cache)" REFLECT_BIN="$(realpath "${CARGO_TARGET_DIR:-target}")/debug/reflect" \
        REFLECT_EMBEDDER_FOLDER="$(cargo xtask cache minilm)" \
        sh -c 'cd packaging && "$0" -m pytest -q -s' "$(cargo xtask cache python-tools)/bin/python"

# A container image without a container engine: built, inspected, unpacked, started (`--release` after `just release`)
image *args: db
    {{ if args =~ "--release" { "" } else { build + " --bin reflect" } }}
    packaging/image.sh {{ args }}

# From the package in an empty environment to the first memory (`--release` for what is shipped)
first-memory *args:
    {{ if args =~ "--release" { "console/build.sh" } else { "" } }}
    {{ if args =~ "--release" { "cargo build --locked -p reflect-cli --profile dist" } else { build + " --bin reflect" } }}
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/first_memory.py --binary "${CARGO_TARGET_DIR:-target}/{{ if args =~ "--release" { "dist/reflect\" --shipped" } else { "debug/reflect\"" } }}

# What a developer meets in the first hour, from the package: proxies, misspelled fields, equal and bad lessons
first-hour:
    {{ build }} --bin reflect --bin scripted-provider
    target="${CARGO_TARGET_DIR:-target}/debug"; REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/first_hour.py --binary "$target/reflect" --provider "$target/scripted-provider"

# The console's files, into console/app/dist, from where the server takes them when it is built
console-build:
    console/build.sh

# Everything about the console that needs no server: format, lints, types, dead code, unit tests, sizes
console-check:
    console/check.sh

# Write docs/reference/keys.md again, from the console's key tables
console-keys:
    console/setup.sh
    cd console/app && ../node_modules/.bin/vitest run src/keys/reference.test.ts --update

# The console in a real browser against the built binary (a file, or `-g` and a part of a name, for some of the tests)
e2e *args: db console-build
    {{ build }} --bin reflect
    REFLECT_CACHE="$(cargo xtask cache)" REFLECT_BINARY="${CARGO_TARGET_DIR:-target}/debug/reflect" console/e2e/run.sh {{ args }}

# Every file of browser tests alone, in a random order (a seed repeats one)
e2e-files *args: db console-build
    {{ build }} --bin reflect
    REFLECT_CACHE="$(cargo xtask cache)" REFLECT_BINARY="${CARGO_TARGET_DIR:-target}/debug/reflect" console/e2e/each-file.sh {{ args }}

# The console's budgets of time, with the server built as it is shipped, on a machine that does nothing else
budgets: db console-build
    {{ build }} --release --bin reflect
    REFLECT_RELEASED=1 REFLECT_CACHE="$(cargo xtask cache)" REFLECT_BINARY="${CARGO_TARGET_DIR:-target}/release/reflect" console/e2e/run.sh --project measured --no-deps

# Take the pictures of docs/console again, of an example project (`--quick` takes one theme and keeps none)
screenshots *args: db console-build
    {{ build }} --bin reflect
    REFLECT_SCREENSHOTS="{{ if args =~ "--quick" { "quick" } else { "all" } }}" \
        REFLECT_CACHE="$(cargo xtask cache)" REFLECT_BINARY="${CARGO_TARGET_DIR:-target}/debug/reflect" \
        REFLECT_EMBEDDER_FOLDER="$(cargo xtask cache minilm)" REFLECT_ONNXRUNTIME="$(cargo xtask cache onnxruntime)/libonnxruntime.so" \
        console/e2e/run.sh -c screenshots.config.ts

# Licences, banned crates, sources (needs `just setup --ci`, or cargo-deny on the path)
deny:
    PATH="$PATH:$(cargo xtask cache)/tools/cargo-deny/bin" cargo deny check --hide-inclusion-graph licenses bans sources

# Known vulnerabilities of Rust, Python and JavaScript dependencies, with the age of each database, or `not checked`
advisories *args:
    REFLECT_CACHE="$(cargo xtask cache)" .ci/advisories {{ args }}

# Workflow files and issue forms against their schemas
workflows-check:
    REFLECT_CACHE="$(cargo xtask cache)" .ci/workflows

# Subjects of the commits after BASE: `area: imperative`, at most 72 characters
commits base="origin/main":
    .ci/commits {{ base }}

# Run the commands of the README's start section as written (`just readme --dry-run` prints them)
readme *args:
    cargo xtask readme {{ args }}

# Format, lints, tidy, unit tests: before a push
ci-fast:
    .ci/run fast

# Everything that must pass before a change lands
ci:
    .ci/run full

# Soak, poison, move and benchmarks at size; appends to bench/history
ci-long:
    .ci/run long
