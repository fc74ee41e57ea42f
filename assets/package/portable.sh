#!/bin/sh
# portable.sh PROGRAM PREFIX [DESTDIR]
# Installs Kettle below DESTDIR/PREFIX like tree.sh, for any Linux of this machine's architecture:
# bin/kettle is launcher.c, and libexec/kettle has the program, the C library and all other libraries of
# this machine that it is linked with or loads, descriptions of common terminals, and the characters of
# the locale C.UTF-8. Their licenses are in share/doc/kettle/libraries.txt.gz. Needs Debian or a child of
# it, whose packages have them.
set -eu
program=$(realpath "$1")
prefix=$2
root=${3:-}$prefix
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/assets/package/release.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "portable: $*" >&2; exit 1; }
command -v dpkg-query >/dev/null 2>&1 || fail 'the licenses of the libraries come from packages of Debian'

"$top/assets/package/tree.sh" "$program" "$prefix" "${3:-}"
own=$root/libexec/kettle
mv "$root/bin/kettle" "$own/kettle"
# Without a C library, and with nothing in it that another build would change.
"${CC:-cc}" -std=gnu11 -Os -Wall -Wextra -Werror -ffreestanding -fno-builtin -fno-stack-protector \
  -fno-asynchronous-unwind-tables -fPIE -static-pie -nostdlib -s \
  -Wl,--no-dynamic-linker,--build-id=none,-z,noexecstack,-z,relro,-z,now,-z,noseparate-code \
  -o "$root/bin/kettle" "$top/assets/package/launcher.c"
objcopy --remove-section=.comment "$root/bin/kettle"
chmod 755 "$root/bin/kettle"

# The program names what it is linked with, and what it loads when it needs it (delayed_library.c).
loader=$(readelf -l "$own/kettle" | sed -n 's/.*program interpreter: \(.*\)\]/\1/p')
names=$(grep -aoE '\blib[a-z]+[0-9]*\.so\.[0-9]+' "$program" | sort -u | tr '\n' ' ')
"$loader" --preload "$names" --list "$program" > "$work/loaded" 2> "$work/problems" ||
  fail "$(cat "$work/problems")"
[ ! -s "$work/problems" ] || fail "$(cat "$work/problems")"
awk '$2 == "=>" && $3 !~ /^\// { print "not found: " $1; exit 1 }' "$work/loaded" ||
  fail 'a library is missing'
# A preloaded one is listed without an arrow, by its path or its name.
sed -n 's/^\t\(.* => \)\{0,1\}\(\/[^ ]*\) (0x.*/\2/p' "$work/loaded" | sort -u > "$work/files"
mkdir -p "$own/lib"
while IFS= read -r file; do
  name=${file##*/}
  [ "$file" != "$loader" ] || name=ld.so
  install -m 644 "$file" "$own/lib/$name"
done < "$work/files"
chmod 755 "$own/lib/ld.so"
for name in $names; do
  [ -f "$own/lib/$name" ] || fail "$name is missing"
done

# Where the system describes no terminal, or not this one.
for terminal in alacritty ansi dumb foot gnome-256color kitty konsole-256color linux mlterm-256color \
  putty-256color rxvt rxvt-256color rxvt-unicode rxvt-unicode-256color screen screen-256color \
  screen.xterm-256color st-256color tmux tmux-256color vt100 vt220 vte-256color xterm xterm-256color \
  xterm-color xterm-kitty; do
  letter=$(printf %.1s "$terminal")
  found=
  for folder in /lib/terminfo /usr/share/terminfo; do
    [ -f "$folder/$letter/$terminal" ] || continue
    found=$folder/$letter/$terminal
    echo "$found" >> "$work/files"
    install -D -m 644 "$found" "$own/terminfo/$letter/$terminal"
    break
  done
  [ -n "$found" ] ||
    fail "no description of the terminal $terminal (ncurses-term, foot-terminfo, kitty-terminfo)"
done

# Where the system has no locales of glibc.
charset=/usr/lib/locale/C.utf8/LC_CTYPE
[ -f "$charset" ] || fail "$charset is missing"
install -D -m 644 "$charset" "$own/locale/C.utf8/LC_CTYPE"
echo "$charset" >> "$work/files"

# The package of a file may know it by its name before /lib became a link.
package_of() {
  for name in "$1" "$(realpath "$1")" "${1#/usr}" "/usr$1"; do
    found=$(dpkg-query -S "$name" 2>/dev/null | head -n 1) || continue
    [ -z "$found" ] || { echo "${found%%: *}"; return; }
  done
  fail "no package has $1, so its license is not known"
}
: > "$work/packages"
while IFS= read -r file; do package_of "$file" >> "$work/packages"; done < "$work/files"
sort -u "$work/packages" > "$work/list"
{
  echo 'The portable archive of Kettle contains files of these packages of Debian, unchanged:'
  echo
  while IFS= read -r package; do
    dpkg-query -W -f '  ${Package} ${Version} (source ${source:Package} ${source:Version})\n' "$package"
  done < "$work/list"
  echo
  echo 'The archive of Debian, or its snapshots of the past, has their sources under these names and'
  echo 'versions. You may replace any of these libraries in libexec/kettle/lib by another build of it. Their'
  echo 'licenses follow, and after them the texts that they refer to in /usr/share/common-licenses.'
  : > "$work/copyrights"
  while IFS= read -r package; do
    copyright=/usr/share/doc/${package%%:*}/copyright
    [ -f "$copyright" ] || fail "$copyright is missing"
    printf '\n\n======== %s\n\n' "${package%%:*}"
    # Packages of one source often have one text.
    sum=$(sha256sum < "$copyright")
    same=$(sed -n "s/^$sum //p" "$work/copyrights")
    if [ -n "$same" ]; then echo "The same as of $same."; else cat "$copyright"; fi
    [ -n "$same" ] || echo "$sum ${package%%:*}" >> "$work/copyrights"
    cat "$copyright" >> "$work/texts"
  done < "$work/list"
  grep -aoE '/usr/share/common-licenses/[A-Za-z]+(-[0-9.]*[0-9])?' "$work/texts" | sort -u |
    while IFS= read -r license; do
      [ -f "$license" ] || continue
      printf '\n\n======== %s\n\n' "$license"
      cat "$license"
    done
} > "$work/libraries.txt"
gzip -9n < "$work/libraries.txt" > "$root/share/doc/kettle/libraries.txt.gz"
chmod 644 "$root/share/doc/kettle/libraries.txt.gz"
