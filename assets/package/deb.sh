#!/bin/sh
# deb.sh PROGRAM DIRECTORY
# Makes kettle_VERSION_ARCHITECTURE.deb in DIRECTORY, and looks at it with lintian where that is.
set -eu
program=$1
output=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/assets/package/release.sh"
maintainer=${KETTLE_MAINTAINER:-$(described maintainer)}
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

# What the program is linked with.
mkdir -p "$work/debian"
printf 'Source: kettle\n\nPackage: kettle\nArchitecture: any\n' > "$work/debian/control"
linked=$(cd "$work" && dpkg-shlibdeps -O -e"$tree/usr/bin/kettle" 2>/dev/null |
  sed -n 's/^shlibs:Depends=//p')
if [ -z "$linked" ]; then
  echo 'deb: dpkg-shlibdeps found no library; is dpkg-dev installed?' >&2
  exit 1
fi

mkdir "$tree/DEBIAN"
size=$(find "$tree/usr" -type f -exec stat -c %s {} + | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')
# Debian's summaries begin in lower case, and its descriptions have a blank before each line.
summary=$(described summary)
filled control version="$version" architecture="$architecture" maintainer="$maintainer" size="$size" \
  linked="$linked" synopsis="$(printf %.1s "$summary" | tr '[:upper:]' '[:lower:]')${summary#?}" \
  details="$(described description | sed 's/^$/./; s/^/ /')" > "$tree/DEBIAN/control"
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
