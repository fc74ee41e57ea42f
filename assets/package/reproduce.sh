#!/bin/bash
# reproduce.sh PROGRAM
# Builds the last commit again in another folder with a longer name, and compares: the program PROGRAM,
# which was built in this tree, and the archive that is made from each. Where they differ it says in which
# sections of the program. KETTLE_REPRODUCE names that folder, which is kept then.
set -euo pipefail
program=$(realpath "$1")
trial=reproduce
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/assets/package/release.sh"
. "$top/assets/package/trial.sh"
[ -z "$(git -C "$top" status --porcelain)" ] || fail 'the tree has changes, which the other folder lacks'

other=${KETTLE_REPRODUCE:-$work/a-second-folder-whose-name-is-longer/kettle}
[ -d "$other" ] || git clone -q "$top" "$other"
git -C "$other" fetch -q "$top" HEAD
git -C "$other" checkout -q FETCH_HEAD
# The same versions of the packages that it uses.
cp "$top/Package.resolved" "$other/Package.resolved"
# The flags are words of their own on purpose.
# shellcheck disable=SC2086
(cd "$other" && flags=$(./assets/release-flags.sh) && swift build -c release $flags --product kettle --quiet) ||
  fail 'the other build'
say "built again in a folder whose path has ${#other} characters; that of this tree has ${#top}"

# What the packages contain, without what only debuggers read.
assets=("$top" "$other")
programs=("$program" "$other/.build/release/kettle")
for i in 0 1; do
  (cd "${assets[i]}" && assets/package/tarball.sh "${programs[i]}" "$work/$i") >/dev/null
  mkdir "$work/$i/unpacked"
  tar -C "$work/$i/unpacked" --strip-components 1 -xf "$work/$i/"*.tar.xz
done

# sections FILE: prints each section of a program with its size and digest.
sections() {
  local name offset size
  readelf -SW "$1" | sed -nE 's/^ *\[ *[0-9]+\] ([^ ]+) +[A-Z0-9_]+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) .*/\1 \2 \3/p' |
    while read -r name offset size; do
      printf '%s %s %s\n' "$name" "$((0x$size))" \
        "$(tail -c "+$((0x$offset + 1))" "$1" | head -c "$((0x$size))" | sha256sum | cut -c 1-16)"
    done
}
bin=unpacked/bin/kettle
if ! cmp -s "$work/0/$bin" "$work/1/$bin"; then
  diff <(sections "$work/0/$bin") <(sections "$work/1/$bin") || true
  say "$(cmp -l "$work/0/$bin" "$work/1/$bin" | wc -l) bytes of the program differ"
  fail 'the programs differ in the sections above'
fi
say "the program has the same bytes: $(sha256sum < "$work/0/$bin" | cut -d ' ' -f 1)"
cmp "$work/0/"*.tar.xz "$work/1/"*.tar.xz || fail 'the archives differ'
say "and so has the archive: $(sha256sum < "$(echo "$work/0/"*.tar.xz)" | cut -d ' ' -f 1)"
