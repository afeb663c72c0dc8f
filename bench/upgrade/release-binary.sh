#!/bin/sh
# Builds the binary of a release from its commit, once, and prints its path. The commit is in releases/VERSION/commit, because a
# release may have no tag. Needs the history of the repository, which a shallow clone does not have.
#
#   bench/upgrade/release-binary.sh 0.1.0
set -eu

version=$1
here=$(cd "$(dirname "$0")" && pwd)
cache=$(cargo xtask cache)/releases/$version
if [ ! -x "$cache/reflect" ]; then
    commit=$(cat "$here/releases/$version/commit")
    git -C "$here" cat-file -e "$commit^{commit}" 2>/dev/null || {
        echo "commit $commit of release $version is not in this clone; run \`git fetch --unshallow\`" >&2
        exit 1
    }
    # Outside of the repository, so that cargo finds neither this workspace nor its settings.
    source=$(mktemp -d)
    trap 'rm -rf "$source"' EXIT
    git -C "$here/../.." archive "$commit" | tar -x -C "$source"
    (cd "$source" && CARGO_TARGET_DIR="$cache/target" nice -n 10 cargo build --locked -p reflect-cli) >&2
    cp "$cache/target/debug/reflect" "$cache/reflect"
    rm -rf "$cache/target"
fi
echo "$cache/reflect"
