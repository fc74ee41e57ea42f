#!/bin/sh
# install.sh [--key KEY] [PREFIX]  installs Kettle; default: ~/.local, and /usr/local for root
# install.sh --remove [PREFIX]     removes what it installed; downloads, list and settings stay
# KEY is a public key of minisign, or its file. SHA256SUMS and SHA256SUMS.minisig of the release and the
# archive must be beside this folder then: they are verified, and the archive is installed from.
# With DESTDIR it fills the root of a package, which is put in front of PREFIX.
set -eu
usage() { sed -n 's/^# //p' "$0" | head -2; }
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
cd "$(dirname "$0")"
if [ "$(id -u)" -eq 0 ]; then prefix=${1:-/usr/local}; else prefix=${1:-$HOME/.local}; fi
case $prefix in /*) ;; *) echo "install: $prefix is not an absolute path" >&2; exit 2 ;; esac

refuse() { echo "install: $1; nothing was changed" >&2; exit 1; }
if [ -n "$key" ]; then
  command -v minisign >/dev/null 2>&1 || refuse 'minisign is missing, so --key cannot be verified'
  folder=$(basename "$(pwd -P)")
  cd "$(dirname "$(pwd -P)")"
  minisign -V -q -m SHA256SUMS -P "$key" || refuse "SHA256SUMS is not signed with $key"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  grep -F "  $folder.tar.xz" SHA256SUMS > "$work/sum" || refuse "SHA256SUMS does not name $folder.tar.xz"
  sha256sum -c "$work/sum" >/dev/null || refuse "$folder.tar.xz differs from the signed SHA256SUMS"
  tar -C "$work" -xf "$folder.tar.xz"
  cd "$work/$folder"
  echo "install: $folder.tar.xz is signed with $key"
fi

# Every file must be as it was packed, and none may be missing. The sha256sum of busybox says OK of each.
checked=$(LC_ALL=C sha256sum -c SHA256SUMS 2>&1) || true
if [ "$(printf '%s\n' "$checked" | grep -c ': OK$')" -ne "$(wc -l < SHA256SUMS)" ]; then
  printf '%s\n' "$checked" | grep -v ': OK$' >&2
  echo 'install: the files above differ from SHA256SUMS; nothing was changed. Get the archive again' >&2
  exit 1
fi

root=${DESTDIR:-}$prefix
# systemd looks for a user's own units below share.
placed() {
  case $1/$prefix in
    lib/systemd/*/"${HOME:-/nowhere}"/*) printf '%s/share/%s\n' "$root" "${1#lib/}" ;;
    *) printf '%s/%s\n' "$root" "$1" ;;
  esac
}

sed -n 's/^[0-9a-f]*  \.\///p' SHA256SUMS | while IFS= read -r file; do
  [ "$file" != install.sh ] || continue
  target=$(placed "$file")
  if [ -n "$remove" ]; then
    rm -f "$target"
    folder=$(dirname "${target#"$root"/}")
    (cd "$root" && rmdir -p "$folder") 2>/dev/null || true
    continue
  fi
  mode=644
  [ ! -x "$file" ] || mode=755
  mkdir -p "$(dirname "$target")"
  # The old program may be running: it keeps its file.
  cp "$file" "$target.new"
  chmod "$mode" "$target.new"
  case $file in
    *.service) sed "s|^ExecStart=[^ ]*|ExecStart=$prefix/bin/kettle|" "$file" > "$target.new" ;;
  esac
  mv "$target.new" "$target"
done

# The same program under other names.
find . -type l | sed 's/^\.\///' | while IFS= read -r link; do
  if [ -n "$remove" ]; then
    rm -f "$root/$link"
    (cd "$root" && rmdir -p "$(dirname "$link")") 2>/dev/null || true
    continue
  fi
  mkdir -p "$(dirname "$root/$link")"
  ln -sfn "$(readlink "$link")" "$root/$link"
done

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

# The desktop finds the program for kettle:// in this folder's index.
entries=$root/share/applications
if ls "$entries"/*.desktop >/dev/null 2>&1; then
  ! command -v update-desktop-database >/dev/null 2>&1 || update-desktop-database -q "$entries" || true
else
  rm -f "$entries/mimeinfo.cache"
  (cd "$root" && rmdir -p share/applications) 2>/dev/null || true
fi

if [ -n "$remove" ]; then
  # Also those of an earlier archive.
  if [ -f libexec/kettle/lib/ld.so ]; then rm -rf "$root/libexec/kettle"; fi
  echo "install: removed from $prefix"
  exit 0
fi
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
