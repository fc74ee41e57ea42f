#!/bin/sh
# install.sh [PREFIX]           installs Kettle; default: ~/.local, and /usr/local for root
# install.sh --remove [PREFIX]  removes what it installed; downloads, list and settings stay
set -eu
usage() { sed -n 's/^# //p' "$0" | head -2; }
case ${1:-} in
  -h | --help)
    usage
    exit 0
    ;;
  --remove) ;;
  -*)
    usage >&2
    exit 2
    ;;
esac
cd "$(dirname "$0")"
remove=
if [ "${1:-}" = --remove ]; then
  remove=yes
  shift
fi
case ${1:-} in
  -*)
    echo "install: $1 is not a prefix" >&2
    exit 2
    ;;
esac
if [ "$(id -u)" -eq 0 ]; then prefix=${1:-/usr/local}; else prefix=${1:-$HOME/.local}; fi
case $prefix in /*) ;; *) echo "install: $prefix is not an absolute path" >&2; exit 2 ;; esac

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
    lib/systemd/*/"${HOME:-/nowhere}"/*) printf '%s/share/%s\n' "$prefix" "${1#lib/}" ;;
    *) printf '%s/%s\n' "$prefix" "$1" ;;
  esac
}

sed -n 's/^[0-9a-f]*  \.\///p' SHA256SUMS | while IFS= read -r file; do
  [ "$file" != install.sh ] || continue
  target=$(placed "$file")
  if [ -n "$remove" ]; then
    rm -f "$target"
    folder=$(dirname "${target#"$prefix"/}")
    (cd "$prefix" && rmdir -p "$folder") 2>/dev/null || true
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
    rm -f "$prefix/$link"
    (cd "$prefix" && rmdir -p "$(dirname "$link")") 2>/dev/null || true
    continue
  fi
  mkdir -p "$(dirname "$prefix/$link")"
  ln -sfn "$(readlink "$link")" "$prefix/$link"
done
# The desktop finds the program for kettle:// in this folder's index.
entries=$prefix/share/applications
if ls "$entries"/*.desktop >/dev/null 2>&1; then
  ! command -v update-desktop-database >/dev/null 2>&1 || update-desktop-database -q "$entries" || true
else
  rm -f "$entries/mimeinfo.cache"
  (cd "$prefix" && rmdir -p share/applications) 2>/dev/null || true
fi

if [ -n "$remove" ]; then
  # Also those of an earlier archive.
  if [ -f libexec/kettle/lib/ld.so ]; then rm -rf "$prefix/libexec/kettle"; fi
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
