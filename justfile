# Every recipe is one or two lines that can be typed by hand; `just` itself is the wheel `rust-just`.
# `cargo xtask setup` comes first: it installs Postgres, models and the published clients into a cache. The recipes
# that begin with `sdk`, and `seeds`, need `cargo xtask setup --sdk`.

set dotenv-load := true

# Where tests and the conformance run find a Postgres that lets them create databases.
export REFLECT_TEST_DATABASE_URL := env("REFLECT_TEST_DATABASE_URL", "postgres://reflect@127.0.0.1:" + env("REFLECT_DB_PORT", "54329") + "/postgres")

# Not empty in continuous integration, which has built the whole workspace: for some packages alone dependencies would be
# built anew, with fewer features.
whole := env("REFLECT_WHOLE", "")

# List the recipes
default:
    @just --list --unsorted

# Install what the project needs (`--sdk` adds the tools of the Python SDK, `--ci` all of continuous integration)
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
    REFLECT_DATABASE_URL="${REFLECT_DATABASE_URL:-$(cargo xtask db create reflect_dev)}" cargo run --locked -p reflect-cli -- serve --migrate {{ args }}

# Format everything
fmt:
    cargo fmt --all

# Formatting, lints, house rules
check: && tidy
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings

# House rules alone: layers, sizes, names, SQL, environment
tidy:
    cargo xtask tidy

# All Rust tests (`just test -p reflect-store` for one crate)
test *args="--workspace": db
    cargo test --locked {{ args }}

# The published clients, and ours, against the built binary (`--through published`, `own` or `rust` for one of them)
conformance *args: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli -p reflect-scripted-provider -p reflect-conformance-driver" } else { "--workspace" } }}
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/run.py {{ args }}

# Whom an installation in use speaks to: the database and the provider, and nobody else (`--seconds N`)
outbound *args: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli -p reflect-scripted-provider" } else { "--workspace" } }}
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/outbound.py {{ args }}

# The learning loop with a real language model and a real embedder
loop: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli" } else { "--workspace" } }}
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/loop.py

# A change of the embedding model with the real embedder, under load: compared, switched, rolled back, finished
respace: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli" } else { "--workspace" } }}
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/respace.py

# A judge with a real language model: tried out, at work, and overruled
judge: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli" } else { "--workspace" } }}
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/judge.py

# Reviewing in a terminal: the real binary in tmux, killed and resized, with hostile texts in its runs
terminal-review: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli" } else { "--workspace" } }}
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/terminal_review.py

# The loop with the server as its memory: what it leaves there, and what a kill in each phase costs it
reflexion: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli -p reflect-bench-reflexion" } else { "--workspace" } }}
    target="${CARGO_TARGET_DIR:-target}/debug"; "$target/reflexion" check --binary "$target/reflect" --embedder "$(cargo xtask cache minilm)" --onnxruntime "$(cargo xtask cache onnxruntime)/libonnxruntime.so"

# Every example of the Rust client, against a real server and a real language model
rust-examples: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli -p reflect-bench-reflexion" } else { "--workspace" } }}
    cargo build --locked {{ if whole == "" { "-p reflect-sdk --features reflexion-loop" } else { "--workspace" } }} --examples
    target="${CARGO_TARGET_DIR:-target}/debug"; "$target/reflexion" examples --folder "$target/examples" --binary "$target/reflect" --embedder "$(cargo xtask cache minilm)" --onnxruntime "$(cargo xtask cache onnxruntime)/libonnxruntime.so"

# Rewrite what is generated from the code; aside first, so that a failed run empties nothing
openapi:
    cargo run -q --locked -p reflect-cli -- openapi > openapi.json.new && mv openapi.json.new openapi.json
    mkdir -p docs
    cargo run -q --locked -p reflect-cli -- configuration > docs/CONFIGURATION.md.new && mv docs/CONFIGURATION.md.new docs/CONFIGURATION.md

# Write the generated pages of the book, then check all of it: links, index, and every block of code
docs *args: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli" } else { "--workspace" } }}
    cargo xtask docs --generate
    cargo xtask docs {{ args }}

# The same without writing anything, with the binary that is built (`--only docs/SCALE.md`, `--check-only`)
docs-check *args: db
    cargo xtask docs {{ args }}

# Kill the server while it takes traces in, and count what was acknowledged and lost
crash-ingest *args: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli -p reflect-bench-ingest" } else { "--workspace" } }}
    "${CARGO_TARGET_DIR:-target}/debug/crash-ingest" {{ if whole == "" { "" } else { "--whole" } }} {{ args }}

# Kill, stop and crash everything that learns, and look for what was lost, doubled or forgotten
soak *args: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli -p reflect-soak" } else { "--workspace" } }}
    "${CARGO_TARGET_DIR:-target}/debug/soak" {{ if whole == "" { "" } else { "--whole" } }} {{ args }}

# Move a project to another database under kills, and compare it there (`--quick` for a small one)
move-project *args: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli -p reflect-move" } else { "--workspace" } }}
    target="${CARGO_TARGET_DIR:-target}/debug"; "$target/move-project" --binary "$target/reflect" --server "$REFLECT_TEST_DATABASE_URL" {{ args }}

# How far ingest is from what the database alone can take, with optimised programs
ingest-ratio *args: db
    cargo build --release --locked -p reflect-cli -p reflect-bench-ingest
    target="${CARGO_TARGET_DIR:-target}/release"; "$target/ingest-ratio" --binary "$target/reflect" {{ args }}

# How far a retrieval is from its SQL by pgbench, with an optimised server (`--quick` to see that it runs)
query-ratio *args:
    cargo build --release --locked -p reflect-bench-query
    "${CARGO_TARGET_DIR:-target}/release/query-ratio" --pgbench "$(find "$(cargo xtask cache postgres)" -name pgbench)" {{ args }}

# How soon the memory of a reviewed run is served, without the time of its models
learn-latency *args:
    cargo build --release --locked -p reflect-bench-query
    "${CARGO_TARGET_DIR:-target}/release/learn-latency" {{ args }}

# What learned ranking gains on public data (`--quick` for two seeds of one cell, `--http` through the server)
case-stream *args:
    cargo build {{ if args =~ "--quick" { "" } else { "--release" } }} --locked {{ if whole == "" { "-p reflect-case-stream" } else { "--workspace" } }}
    "${CARGO_TARGET_DIR:-target}/{{ if args =~ "--quick" { "debug" } else { "release" } }}/case-stream" {{ args }}

# What redaction finds and what it costs, on cases made from a fixed seed (`--mistakes` shows what went wrong)
redaction *args:
    cargo run -q --release --locked -p reflect-bench-redaction --bin redaction -- {{ args }}

# Memory poisoning: hostile texts through the published client, attacks with and without defences, what defences cost
poison *args: db
    cargo build --locked --workspace
    {{ if args =~ "--quick" { "" } else { "cargo build --release --locked -p reflect-poison" } }}
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/poison.py
    "${CARGO_TARGET_DIR:-target}/{{ if args =~ "--quick" { "debug" } else { "release" } }}/poison" --server "$REFLECT_TEST_DATABASE_URL" {{ args }}

# The next two name the whole workspace so that what `just test` has built is used: for one package alone dependencies
# are built anew, with fewer features.

# What an idle server takes and how soon it is ready
footprint: db
    cargo test --workspace --locked --test it footprint:: -- --nocapture

# Every route against every kind of key that must not pass
tenants: db
    cargo test --workspace --locked --test it tenants:: -- --nocapture

# The Python SDK: layout, lints, types, and whether what is generated from its sources is fresh
sdk-check:
    "$(cargo xtask cache python-tools)/bin/python" sdks/python/checks/static.py --pyright "$(cargo xtask cache pyright)"

# Its tests, all on one Python, and those that need no framework on every other Python of this machine
sdk-test *args: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli -p reflect-scripted-provider" } else { "--workspace" } }}
    cd sdks/python && PYTHONPATH="$PWD/src" REFLECT_CACHE="$(cargo xtask cache)" "$(cargo xtask cache python-tools)/bin/python" -m pytest -q {{ args }}
    REFLECT_CACHE="$(cargo xtask cache)" "$(cargo xtask cache python-tools)/bin/python" sdks/python/checks/versions.py

# Its wheel: size, what comes with it, what importing it costs
sdk-package:
    python3 sdks/python/checks/package.py --tools "$(cargo xtask cache python-tools)/bin/python" --published "$(cargo xtask cache client-0.3.3)/bin/python"

# What it costs its caller, beside the published client
sdk-overhead *args: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli -p reflect-scripted-provider" } else { "--workspace" } }}
    REFLECT_CACHE="$(cargo xtask cache)" python3 sdks/python/checks/overhead/run.py {{ args }}

# Whether runs arrive, once each, whatever happens to process, server and disk (`--quick` for a short one)
sdk-delivery *args: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli -p reflect-scripted-provider" } else { "--workspace" } }}
    REFLECT_CACHE="$(cargo xtask cache)" "$(cargo xtask cache python-tools)/bin/python" sdks/python/checks/delivery/run.py {{ args }}

# Every Python block of the documents that specify the SDK, as it stands (`--seeds DIR` or REFLECT_SEEDS says where they are)
seeds *args: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli -p reflect-scripted-provider" } else { "--workspace" } }}
    REFLECT_CACHE="$(cargo xtask cache)" "$(cargo xtask cache python-tools)/bin/python" sdks/python/checks/seeds/run.py {{ args }}

# Every example of the SDK, and every Python block of its README
sdk-examples *args: db
    cargo build --locked {{ if whole == "" { "-p reflect-cli -p reflect-scripted-provider" } else { "--workspace" } }}
    REFLECT_CACHE="$(cargo xtask cache)" "$(cargo xtask cache python-tools)/bin/python" sdks/python/checks/examples.py {{ args }}

# Rewrite what is generated from the SDK's sources: docs/PYTHON.md, and the types of the asynchronous client
sdk-docs:
    "$(cargo xtask cache python-tools)/bin/python" sdks/python/checks/async_stub.py
    "$(cargo xtask cache python-tools)/bin/python" sdks/python/checks/api_page/run.py

# The crates that others can use without the rest, as they would be published
package:
    # What an earlier check unpacked and built under the same version would be checked again.
    rm -rf "${CARGO_HOME:-$HOME/.cargo}"/registry/src/-*/refle* "${CARGO_TARGET_DIR:-target}/package-check"
    cargo package --locked --allow-dirty --target-dir "${CARGO_TARGET_DIR:-target}/package-check" -p reflect-types -p reflect-model -p reflection-pipeline -p reflect-evaluation -p reflexion-loop -p reflect-api -p reflect-sdk
    # What each of them brings along, itself counted; the loop must stay small.
    @for crate in reflection-pipeline reflect-evaluation reflexion-loop reflect-sdk; do \
        count=$(cargo tree --locked -p "$crate" -e normal --prefix none | sed 's/ (\*)$//' | sort -u | wc -l); \
        echo "$crate: $count crates"; \
        [ "$crate" != reflexion-loop ] || [ "$count" -le 45 ] || exit 1; \
    done

# Everything that is published, into dist/: wheel, tarball, bill of materials, checksums (`--debug` for a quick one)
release *args:
    packaging/release.sh {{ args }}

# What is packed: lints of Dockerfile, compose file and service file, the bill of materials, the wheel and its record
packaging-check:
    cargo build --locked {{ if whole == "" { "-p reflect-cli" } else { "--workspace" } }}
    tools="$(cargo xtask cache python-tools)/bin/python"; cd packaging && "$tools" -m ruff format --check . && "$tools" -m ruff check .
    "$(cargo xtask cache packaging-tools)/bin/python" packaging/check.py
    REFLECT_BIN="$(realpath "${CARGO_TARGET_DIR:-target}")/debug/reflect" REFLECT_EMBEDDER_FOLDER="$(cargo xtask cache minilm)" \
        sh -c 'cd packaging && "$0" -m pytest -q -s' "$(cargo xtask cache python-tools)/bin/python"

# From the package in an empty environment to the first memory, as a newcomer does it (`--release` for what is shipped)
first-memory *args:
    {{ if args =~ "--release" { "console/build.sh" } else { "" } }}
    cargo build --locked {{ if args =~ "--release" { "-p reflect-cli --profile dist" } else if whole == "" { "-p reflect-cli" } else { "--workspace" } }}
    REFLECT_CACHE="$(cargo xtask cache)" python3 conformance/first_memory.py --binary "${CARGO_TARGET_DIR:-target}/{{ if args =~ "--release" { "dist/reflect\" --shipped" } else { "debug/reflect\"" } }}

# The console's files, into console/app/dist, from where the server takes them when it is built
console-build:
    console/build.sh

# Everything about the console that needs no server: format, lints, types, dead code, unit tests, sizes
console-check:
    console/check.sh

# The console in a real browser against the built binary (a file, or `-g` and a part of a name, for some of the tests)
e2e *args: db console-build
    cargo build --locked {{ if whole == "" { "-p reflect-cli" } else { "--workspace" } }}
    REFLECT_CACHE="$(cargo xtask cache)" REFLECT_BINARY="${CARGO_TARGET_DIR:-target}/debug/reflect" console/e2e/run.sh {{ args }}

# The console's budgets of time, with the server built as it is shipped, on a machine that does nothing else
budgets: db console-build
    cargo build --release --locked -p reflect-cli
    REFLECT_RELEASED=1 REFLECT_CACHE="$(cargo xtask cache)" REFLECT_BINARY="${CARGO_TARGET_DIR:-target}/release/reflect" console/e2e/run.sh budgets large review-speed

# The pictures of docs/console, taken anew of an example project
screenshots: db console-build
    cargo build --locked {{ if whole == "" { "-p reflect-cli" } else { "--workspace" } }}
    REFLECT_CACHE="$(cargo xtask cache)" REFLECT_BINARY="${CARGO_TARGET_DIR:-target}/debug/reflect" \
        REFLECT_EMBEDDER_FOLDER="$(cargo xtask cache minilm)" REFLECT_ONNXRUNTIME="$(cargo xtask cache onnxruntime)/libonnxruntime.so" \
        console/e2e/run.sh -c screenshots.config.ts

# Licences, banned crates, sources (needs `just setup --ci`, or cargo-deny on the path)
deny:
    PATH="$PATH:$(cargo xtask cache)/tools/cargo-deny/bin" cargo deny check --hide-inclusion-graph licenses bans sources

# Run the README's start as written (`just readme --dry-run` shows it)
readme *args:
    cargo xtask readme {{ args }}

# Everything continuous integration runs, in its order
ci:
    bash .ci/run
