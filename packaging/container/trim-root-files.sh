#!/usr/bin/env bash
# Hook of mmdebstrap: removes what the server does not use, and does the little that package scripts would do.
#
#   trim-root-files.sh ROOT
set -euo pipefail
root=${1:?usage: trim-root-files.sh ROOT}

# What remains. The other packages are needed only by scripts that run when a package is installed.
keep=' base-files ca-certificates gcc-14-base libc6 libgcc-s1 libstdc++6 tzdata '

# One file per package, as scanners of images read it.
mkdir -p "$root/var/lib/dpkg/status.d"
for package in "$root"/var/cache/apt/archives/*.deb; do
    name=$(dpkg-deb --field "$package" Package)
    if [[ $keep == *" $name "* ]]; then
        dpkg-deb --field "$package" >"$root/var/lib/dpkg/status.d/$name"
    else
        dpkg-deb --fsys-tarfile "$package" | tar --list | grep -v '/$' | while read -r path; do
            rm -f "$root/$path"
        done
    fi
done

# Licences stay: /usr/share/doc/*/copyright.
find "$root/usr/share/doc" -type f ! -name copyright -delete
rm -rf "$root"/usr/share/{man,info,locale,lintian,bash-completion,perl5,debconf,openssl,gcc,gdb} "$root"/usr/lib/*/gconv \
    "$root"/usr/lib/*/perl* "$root"/usr/lib/ssl "$root"/usr/lib/*/{engines-3,ossl-modules}
find "$root/usr" -mindepth 2 -type d -empty -delete

# The bundle that update-ca-certificates would write.
mkdir -p "$root/etc/ssl/certs"
find "$root/usr/share/ca-certificates" -name '*.crt' -print0 | LC_ALL=C sort -z | xargs -0 cat \
    >"$root/etc/ssl/certs/ca-certificates.crt"
ln -sf /usr/share/zoneinfo/Etc/UTC "$root/etc/localtime"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
