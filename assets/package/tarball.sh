#!/bin/sh
# tarball.sh PROGRAM DIRECTORY [portable]
# Makes kettle-VERSION-linux-ARCHITECTURE.tar.xz in DIRECTORY: the tree that `make install` installs,
# with install.sh, the digests of all files, and the text of the license. Makes
# kettle-VERSION-linux-ARCHITECTURE-portable.tar.xz of the tree of portable.sh.
set -eu
program=$1
output=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/assets/package/release.sh"
name=kettle-$version-linux-$(uname -m)${3:+-$3}
tree=tree.sh
[ -z "${3:-}" ] || tree=portable.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$top/assets/package/$tree" "$program" "/$name" "$work"
install -m 644 "$top/LICENSE" "$work/$name/share/doc/kettle/LICENSE"
install -m 755 "$top/assets/package/install.sh" "$work/$name/install.sh"
# A link has no digest of its own.
(cd "$work/$name" && find . -type l -printf '%P\t%l\n' | LC_ALL=C sort > LINKS)
(cd "$work/$name" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | xargs sha256sum > SHA256SUMS)

mkdir -p "$output"
file=$output/$name.tar.xz
tar -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  --format=gnu -cf - "$name" | xz -T1 -6 > "$file"
(cd "$output" && sha256sum "$name.tar.xz" > "$name.tar.xz.sha256")
echo "tarball: $file, $(stat -c %s "$file") bytes"
