#!/usr/bin/env bash
# Builds everything that is published, into dist/: wheel, tarball, bill of materials, checksums.
#
#   packaging/release.sh            the profile that is shipped, optimised across crates, which takes long
#   packaging/release.sh --release  optimised crate by crate
#   packaging/release.sh --debug    quickly, to try the packages themselves
#   --unchecked                     without the check for known vulnerabilities; not for publication
#   --sizes                         at the end, prints size, start time and memory, beside those of the debug build
#   --target aarch64-unknown-linux-gnu
#                                   for another processor, with Debian's cross compiler (docs/PACKAGES.md)
#
# REFLECT_DIST chooses another folder. The files carry the time of the last commit, or SOURCE_DATE_EPOCH, and paths of
# this machine are kept out of the binary, so that the same sources on the same system give the same files.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

profile=dist folder=dist sizes='' triple='' checked=1
while [ $# -gt 0 ]; do
    case "$1" in
    --release) profile=release folder=release ;;
    --debug) profile=dev folder=debug ;;
    --unchecked) checked='' ;;
    --sizes) sizes=1 ;;
    --target)
        triple=${2:?--target needs the name of a target}
        shift
        ;;
    *)
        sed -n '2,$s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" | head -12
        exit 2
        ;;
    esac
    shift
done

# What is published must have been checked, with a recent database (`just advisories`).
if [ "$profile" = dist ] && [ -n "$checked" ]; then
    REFLECT_CACHE="${REFLECT_CACHE:-$(cargo xtask cache)}" .ci/advisories --strict ||
        { echo "release: refused, because dependencies were not checked or are vulnerable" >&2; exit 1; }
fi

target="${CARGO_TARGET_DIR:-target}"
into="${REFLECT_DIST:-dist}"
model=$(cargo xtask cache minilm)
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH

console/build.sh
if [ "$profile" != dev ]; then
    # Not for a quick build: other flags rebuild everything.
    RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=$PWD=reflect --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
    export RUSTFLAGS
fi
built="$target/$folder"
if [ -n "$triple" ]; then
    built="$target/$triple/$folder"
    # After the last use of xtask, which must be built for this machine.
    export CARGO_BUILD_TARGET="$triple"
    compiler="${triple%%-*}-linux-gnu-gcc"
    command -v "$compiler" >/dev/null || { echo "no $compiler: install the cross compiler (docs/PACKAGES.md)" >&2; exit 1; }
    upper=$(printf '%s' "$triple" | tr 'a-z-' 'A-Z_')
    export "CARGO_TARGET_${upper}_LINKER=$compiler" "CC_${triple//-/_}=$compiler"
fi
cargo build --locked --profile "$profile" -p reflect-cli
binary="$built/reflect"

rm -rf "$into"
mkdir -p "$into"
python3 packaging/sbom.py --into "$into/reflect.cdx.json" --model "$model"
python3 packaging/notices.py --into "$into/THIRD-PARTY-LICENSES.txt"
python3 packaging/make_wheel.py --binary "$binary" --model "$model" --into "$into" \
    --sbom "$into/reflect.cdx.json" --notices "$into/THIRD-PARTY-LICENSES.txt"
python3 packaging/make_tarball.py --binary "$binary" --model "$model" --into "$into" \
    --notices "$into/THIRD-PARTY-LICENSES.txt"
(cd "$into" && sha256sum -- * >SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS && cat SHA256SUMS)
echo "release: $(cd "$into" && ls | wc -l) files in $into, built with the profile $profile"
if [ -n "$sizes" ] && [ -z "$triple" ]; then
    compared=()
    [ "$profile" = dev ] || [ ! -x "$target/debug/reflect" ] || compared=(--build "debug=$target/debug/reflect")
    python3 packaging/measure.py --model "$model" --build "$folder=$binary" "${compared[@]}"
fi
