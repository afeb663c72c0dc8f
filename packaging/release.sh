#!/usr/bin/env bash
# Makes everything that is published, into dist/: wheel, tarball, bill of materials, checksums.
#
#   packaging/release.sh            as it is shipped, optimised across crates, which takes long
#   packaging/release.sh --release  optimised crate by crate
#   packaging/release.sh --debug    quickly, to try the packages themselves
#
# REFLECT_DIST chooses another folder. The files carry the time of the last commit, or SOURCE_DATE_EPOCH, and paths of
# this machine are kept out of the binary, so that the same sources on the same system give the same files.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

profile=dist folder=dist
case "${1:-}" in
'') ;;
--release) profile=release folder=release ;;
--debug) profile=dev folder=debug ;;
*)
    sed -n 's/^# \{0,1\}//p' "${BASH_SOURCE[0]}" | head -8
    exit 2
    ;;
esac

target="${CARGO_TARGET_DIR:-target}"
into="${REFLECT_DIST:-dist}"
model=$(cargo xtask cache minilm)
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH

console/build.sh
if [ "$profile" != dev ]; then
    # Not for a quick one: other flags would build everything anew.
    RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=$PWD=reflect --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
    export RUSTFLAGS
fi
cargo build --locked --profile "$profile" -p reflect-cli
binary="$target/$folder/reflect"

rm -rf "$into"
mkdir -p "$into"
python3 packaging/sbom.py --into "$into/reflect.cdx.json"
python3 packaging/notices.py --into "$into/THIRD-PARTY-LICENSES.txt"
python3 packaging/make_wheel.py --binary "$binary" --model "$model" --into "$into" \
    --sbom "$into/reflect.cdx.json" --notices "$into/THIRD-PARTY-LICENSES.txt"
python3 packaging/make_tarball.py --binary "$binary" --model "$model" --into "$into" \
    --notices "$into/THIRD-PARTY-LICENSES.txt"
(cd "$into" && sha256sum -- * >SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS && cat SHA256SUMS)
echo "release: $(cd "$into" && ls | wc -l) files in $into, built with the profile $profile"
