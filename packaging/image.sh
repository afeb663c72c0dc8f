#!/usr/bin/env bash
# Builds the container image without a container engine, inspects it, and runs its program from the unpacked layers.
#
#   packaging/image.sh            with the debug build, into a temporary folder: quickly, to check the image itself
#   packaging/image.sh --release  with the binary and the licences that packaging/release.sh left, into dist/
#
# Needs mmdebstrap, umoci and skopeo (`cargo xtask setup --ci` installs them) and a Postgres (`just db`).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target="${CARGO_TARGET_DIR:-target}"
notices=()
case "${1:-}" in
    '')
        binary="$target/debug/reflect"
        into=$(mktemp -d)
        trap 'rm -rf "$into"' EXIT
        ;;
    --release)
        binary="$target/dist/reflect"
        into="${REFLECT_DIST:-dist}"
        notices=(--notices "$into/THIRD-PARTY-LICENSES.txt")
        ;;
    *)
        sed -n '2,$s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" | head -6
        exit 2
        ;;
esac

REFLECT_CACHE="${REFLECT_CACHE:-$(cargo xtask cache)}"
export REFLECT_CACHE
rm -f "$into"/*.oci.tar
python3 packaging/make_image.py --binary "$binary" --model "$(cargo xtask cache minilm)" --into "$into" "${notices[@]}"
database=$(cargo xtask db create reflect_image --recreate)
python3 packaging/try_image.py --image "$(ls "$into"/*.oci.tar)" --database-url "$database"
if [ "${1:-}" = --release ]; then
    python3 packaging/sbom.py --into "$into/reflect-image.cdx.json" --model "$(cargo xtask cache minilm)" \
        --root-files "$(ls -t "$REFLECT_CACHE"/image/root-*-"$(uname -m)".tar | head -1)"
    (cd "$into" && rm -f SHA256SUMS && sha256sum -- * >SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS)
fi
