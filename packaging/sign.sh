#!/usr/bin/env bash
# Signs the checksums of a release with an SSH key, or verifies them.
#
#   packaging/sign.sh KEY [FOLDER]        writes SHA256SUMS.sig; the key must be in packaging/release-signers
#   packaging/sign.sh --verify [FOLDER]   checks the signature, every checksum, and that no other file is there
#
# FOLDER is dist/ if it is absent. ssh-keygen of OpenSSH 8.2 and newer is enough, so users can verify without other tools.
# The key may be the public part of one that ssh-agent or a hardware token holds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

signers="${REFLECT_RELEASE_SIGNERS:-packaging/release-signers}"
# A signature for another purpose, such as a commit, is not valid here.
namespace=reflect-release

key=${1:?usage: packaging/sign.sh KEY [FOLDER], or packaging/sign.sh --verify [FOLDER]}
folder=${2:-dist}
[ -f "$folder/SHA256SUMS" ] || { echo "no $folder/SHA256SUMS: run packaging/release.sh first" >&2; exit 1; }

if [ "$key" != --verify ]; then
    (cd "$folder" && sha256sum --check --strict --quiet SHA256SUMS)
    rm -f "$folder/SHA256SUMS.sig"
    ssh-keygen -q -Y sign -f "$key" -n "$namespace" "$folder/SHA256SUMS"
fi
ssh-keygen -q -Y verify -f "$signers" -I releases -n "$namespace" -s "$folder/SHA256SUMS.sig" <"$folder/SHA256SUMS" ||
    { echo "the signature is not by a key of $signers" >&2; exit 1; }
(
    cd "$folder"
    sha256sum --check --strict --quiet SHA256SUMS
    others=$(find . -type f ! -name SHA256SUMS ! -name SHA256SUMS.sig -printf '%P\n' | sort |
        comm -23 - <(sed 's/^[0-9a-f]*[ *]*//' SHA256SUMS | sort))
    [ -z "$others" ] || { printf 'without a checksum: %s\n' $others >&2; exit 1; }
)
echo "sign: $(wc -l <"$folder/SHA256SUMS") files in $folder, signed by a key of $signers"
