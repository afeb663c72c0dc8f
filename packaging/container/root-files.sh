#!/usr/bin/env bash
# Writes the root file system of the image as a tar file, from Debian packages. No base image is pulled.
#
#   packaging/container/root-files.sh FILE.tar [x86_64|aarch64]
#
# It has libc, the C++ library for ONNX Runtime, certificates and time zones; no shell and no package manager.
# SOURCE_DATE_EPOCH sets the times of the files. The versions are those of the Debian mirror on the day.
set -euo pipefail

into=${1:?usage: root-files.sh FILE.tar [x86_64|aarch64]}
case "${2:-x86_64}" in
    x86_64) architecture=amd64 ;;
    aarch64) architecture=arm64 ;;
    *)
        echo "unknown architecture $2" >&2
        exit 2
        ;;
esac
# Only files are unpacked, so any user can do it.
mode=root
[ "$(id -u)" = 0 ] || mode=chrootless
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

mmdebstrap --quiet --mode="$mode" --variant=extract --format=tar --architectures="$architecture" \
    --include=base-files,ca-certificates,libc6,libgcc-s1,libstdc++6,tzdata \
    --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
    --extract-hook="$here/trim-root-files.sh" \
    trixie "$into.partial"
mv "$into.partial" "$into"
