#!/bin/sh
# install.sh [--key KEY] [PREFIX]  installs Kettle; default: ~/.local, and /usr/local for root
# install.sh --remove [PREFIX]     removes what it installed; downloads, list and settings stay
# KEY is a public key of minisign, or its file. SHA256SUMS and SHA256SUMS.minisig of the release and the
# archive must be beside this folder then: they are verified, and the archive is installed from.
# PREFIX/share/kettle/installed lists the files and folders that it makes; --remove removes only those, so
# the install.sh of any version does it.
# With DESTDIR it fills the root of a package, which is put in front of PREFIX, and writes no list.
set -eu
usage() { sed -n 's/^# //p' "$0" | head -2; }
refuse() { echo "install: $1; nothing was changed" >&2; exit 1; }
remove=
key=
while :; do
  case ${1:-} in
    -h | --help)
      usage
      exit 0
      ;;
    --remove) remove=yes ;;
    --key)
      key=${2:-}
      [ -n "$key" ] || { usage >&2; exit 2; }
      [ ! -f "$key" ] || key=$(sed -n 2p "$key")
      shift
      ;;
    -*)
      usage >&2
      exit 2
      ;;
    *) break ;;
  esac
  shift
done
if [ $# -gt 1 ]; then usage >&2; exit 2; fi
if [ $# -eq 1 ]; then prefix=$1; elif [ "$(id -u)" -eq 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
case $prefix in
  /*[\"\\]* | /*[[:cntrl:]]*) refuse "$prefix has a quote, a backslash or a control character" ;;
  /*) prefix=${prefix%/} ;;
  *) echo "install: \"$prefix\" is not an absolute path" >&2; exit 2 ;;
esac
case ${DESTDIR:-} in '' | /*) ;; *) DESTDIR=$(pwd)/$DESTDIR ;; esac
CDPATH='' cd -- "$(dirname -- "$0")"
root=${DESTDIR:-}$prefix
installed=$root/share/kettle/installed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The folders of a list that are empty, the deepest first.
remove_empty() {
  sed -n 's/^folder //p' "$1" | LC_ALL=C sort -r |
    while IFS= read -r folder; do rmdir -- "$folder" 2>/dev/null || true; done
}

# Removes a file that a list names below PREFIX.
remove_file() { case /$1/ in */../*) ;; *) rm -f -- "$root/$1" ;; esac; }

# The desktop finds the program for kettle:// in this folder's index.
index_entries() {
  ! command -v update-desktop-database >/dev/null 2>&1 || [ ! -d "$root/share/applications" ] ||
    update-desktop-database -q "$root/share/applications" || true
}

if [ -n "$remove" ]; then
  [ -z "${DESTDIR:-}" ] || refuse '--remove does not go with DESTDIR'
  [ -f "$installed" ] || refuse "there is no $installed, so nothing is known to be installed in $prefix"
  cp "$installed" "$work/list"
  sed -n 's/^file //p' "$work/list" | while IFS= read -r file; do remove_file "$file"; done
  rm -f "$installed"
  entries=$root/share/applications
  if grep -qxF "folder $entries" "$work/list" && [ "$(ls -A "$entries")" = mimeinfo.cache ]; then
    rm -f "$entries/mimeinfo.cache"
  else
    index_entries
  fi
  remove_empty "$work/list"
  echo "install: removed from $prefix"
  exit 0
fi

if [ -n "$key" ]; then
  command -v minisign >/dev/null 2>&1 || refuse 'minisign is missing, so --key cannot be verified'
  folder=$(basename "$(pwd -P)")
  cd "$(dirname "$(pwd -P)")"
  # What is verified is what is unpacked.
  cp SHA256SUMS SHA256SUMS.minisig "$folder.tar.xz" "$work/" || refuse "a file of the release is missing"
  cd "$work"
  minisign -V -q -m SHA256SUMS -P "$key" || refuse "SHA256SUMS is not signed with $key"
  grep -F "  $folder.tar.xz" SHA256SUMS > sum || refuse "SHA256SUMS does not name $folder.tar.xz"
  sha256sum -c sum >/dev/null || refuse "$folder.tar.xz differs from the signed SHA256SUMS"
  tar -xf "$folder.tar.xz"
  cd "$folder"
  echo "install: $folder.tar.xz is signed with $key"
fi

# Every file must be as it was packed, and none may be missing. The sha256sum of busybox says OK of each.
checked=$(LC_ALL=C sha256sum -c SHA256SUMS 2>&1) || true
if [ "$(printf '%s\n' "$checked" | grep -c ': OK$')" -ne "$(wc -l < SHA256SUMS)" ]; then
  printf '%s\n' "$checked" | grep -v ': OK$' >&2
  echo 'install: the files above differ from SHA256SUMS; nothing was changed. Get the archive again' >&2
  exit 1
fi

# systemd looks for a user's own units below share.
placed() {
  case $1/$prefix in
    lib/systemd/*/"${HOME:-/nowhere}"/*) printf 'share/%s\n' "${1#lib/}" ;;
    *) printf '%s\n' "$1" ;;
  esac
}

# Makes a folder and those above it, and lists them.
make_folder() {
  [ ! -d "$1" ] || return 0
  make_folder "$(dirname -- "$1")"
  mkdir -- "$1"
  echo "folder $1" >> "$work/folders"
}

# The list is written before the first file, so that --remove undoes an installation that was interrupted.
: > "$work/folders"
: > "$work/before"
[ ! -f "$installed" ] || cp "$installed" "$work/before"
sed -n 's/^[0-9a-f]*  \.\///p' SHA256SUMS | grep -vxE 'install\.sh|LINKS' > "$work/files"
{
  while IFS= read -r file; do echo "file $(placed "$file")"; done < "$work/files"
  while read -r link _; do echo "file $link"; done < LINKS
} > "$work/list"
sed -n 's/^file //p' "$work/list" | while IFS= read -r file; do dirname -- "$root/$file"; done |
  LC_ALL=C sort -u > "$work/places"
while IFS= read -r place; do make_folder "$place"; done < "$work/places"
# write_list FILE...: everything that these lists name.
write_list() {
  [ -z "${DESTDIR:-}" ] || return 0
  cat "$@" | LC_ALL=C sort -u > "$installed.new"
  mv "$installed.new" "$installed"
}
write_list "$work/before" "$work/list" "$work/folders"

unit=$prefix/bin/kettle
case $unit in *[!A-Za-z0-9/._+-]*) unit=\"$(printf '%s' "$unit" | sed 's/[%$]/&&/g')\" ;; esac
while IFS= read -r file; do
  target=$root/$(placed "$file")
  mode=644
  [ ! -x "$file" ] || mode=755
  # The old program may be running: it keeps its file.
  case $file in
    *.service)
      awk -v unit="$unit" 'sub(/^ExecStart=[^ ]*/, "") { $0 = "ExecStart=" unit $0 } { print }' "$file"
      ;;
    *) cat "$file" ;;
  esac > "$target.new"
  chmod "$mode" "$target.new"
  mv "$target.new" "$target"
done < "$work/files"
# The same program under other names. SHA256SUMS vouches for the file LINKS, but for no link.
while read -r link to; do ln -sfn "$to" "$root/$link"; done < LINKS

# Files that only the version before had.
sed -n 's/^file //p' "$work/before" | while IFS= read -r file; do
  grep -qxF "file $file" "$work/list" || remove_file "$file"
done
sed -n '/^folder /p' "$work/before" >> "$work/folders"
write_list "$work/list" "$work/folders"
remove_empty "$work/folders"

# What follows is for the system where it will be used. A package for all users has the manifests of the
# browsers, which look for them in these folders only.
if [ -n "${DESTDIR:-}" ]; then
  [ "$prefix" = /usr ] || exit 0
  for browser in firefox:/usr/lib/mozilla chromium:/etc/chromium chrome:/etc/opt/chrome; do
    manifest=$DESTDIR${browser#*:}/native-messaging-hosts/org.example.kettle.json
    mkdir -p "$(dirname "$manifest")"
    bin/kettle browser manifest "${browser%%:*}" /usr/libexec/kettle/kettle-native-host > "$manifest"
  done
  exit 0
fi
index_entries
echo "install: $prefix/bin/kettle"
case :$PATH: in *:"$prefix/bin":*) ;; *) echo "install: add $prefix/bin to PATH" ;; esac
# The portable archive has all libraries. Otherwise the program starts without these two, but downloads
# need them.
[ ! -f libexec/kettle/lib/ld.so ] || exit 0
missing=
for library in libcurl.so.4 libssl.so.3; do
  PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | grep -q "$library" || missing="$missing $library"
done
[ -z "$missing" ] || echo "install: missing:$missing (Debian: libcurl4 libssl3)"
