#!/bin/sh
# deb.sh PROGRAM DIRECTORY
# Makes kettle_VERSION_ARCHITECTURE.deb in DIRECTORY, and looks at it with lintian where that is.
set -eu
program=$1
output=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/assets/package/release.sh"
maintainer=${KETTLE_MAINTAINER:-The Kettle maintainers <kettle@example.org>}
architecture=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree

"$top/assets/package/tree.sh" "$program" /usr "$tree"

# The change log in Debian's format; the program's own is beside it.
doc=$tree/usr/share/doc/kettle
mv "$doc/changelog.gz" "$doc/NEWS.gz"
{
  printf 'kettle (%s) unstable; urgency=medium\n\n' "$version"
  printf '  * Package version %s. Its changes are in NEWS.gz.\n\n' "$version"
  printf ' -- %s  %s\n' "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n > "$doc/changelog.gz"

# Chrome looks for the manifests of other programs there and nowhere else.
mkdir -p "$tree/usr/share/lintian/overrides"
printf 'kettle: dir-or-file-in-etc-opt [%s]\n' etc/opt/chrome/ etc/opt/chrome/native-messaging-hosts/ \
  etc/opt/chrome/native-messaging-hosts/org.example.kettle.json > "$tree/usr/share/lintian/overrides/kettle"
chmod 644 "$tree/usr/share/lintian/overrides/kettle"

# What the program is linked with, and what it loads when it needs it (delayed_library.c). The names
# with t64 are those of later releases.
mkdir -p "$work/debian"
printf 'Source: kettle\n\nPackage: kettle\nArchitecture: any\n' > "$work/debian/control"
linked=$(cd "$work" && dpkg-shlibdeps -O -e"$tree/usr/bin/kettle" 2>/dev/null |
  sed -n 's/^shlibs:Depends=//p')
loaded='libcurl4 | libcurl4t64, libssl3 | libssl3t64, zlib1g, libbrotli1, libzstd1, libxxhash0'
if [ -z "$linked" ]; then
  echo 'deb: dpkg-shlibdeps found no library; is dpkg-dev installed?' >&2
  exit 1
fi

mkdir "$tree/DEBIAN"
size=$(find "$tree/usr" -type f -exec stat -c %s {} + | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')
cat > "$tree/DEBIAN/control" <<CONTROL
Package: kettle
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $size
Depends: $linked, $loaded
Recommends: ca-certificates
Suggests: openssh-client, bash-completion, libpq5
Section: net
Priority: optional
Homepage: https://example.org/kettle
Description: downloads that continue in the background
 Kettle is a dashboard in the terminal for downloads. A background service
 fetches the files and continues when the dashboard, the terminal or the login
 session ends.
 .
 A file with its final name is complete and correct: bytes go into a partial
 file, every response is checked before a byte of it is written, and the file
 is renamed only when it is complete and synced to disk. Interrupted downloads
 continue where they were. HTTP, FTP and SFTP are supported, several
 connections for one file, mirrors, checksums, and programs that control aria2.
CONTROL
(cd "$tree" && find usr -type f | sort | xargs md5sum > DEBIAN/md5sums)
(cd "$tree" && find etc -type f | sort | sed 's|^|/|' > DEBIAN/conffiles)
find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

mkdir -p "$output"
file=$output/kettle_${version}_$architecture.deb
# Another number of threads could give other bytes.
dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$tree" "$file" >/dev/null
echo "deb: $file, $(stat -c %s "$file") bytes"
if command -v lintian >/dev/null 2>&1; then
  lintian --fail-on error,warning --allow-root "$file"
  echo 'deb: lintian has neither errors nor warnings'
fi
if command -v desktop-file-validate >/dev/null 2>&1; then
  desktop-file-validate "$tree"/usr/share/applications/*.desktop
fi
if command -v appstreamcli >/dev/null 2>&1; then
  appstreamcli validate --no-net "$tree/usr/share/metainfo/org.example.kettle.metainfo.xml"
fi
