#!/bin/sh
# recipes.sh DIRECTORY
# Writes the recipes of other distributions into DIRECTORY/recipes: PKGBUILD (Arch), flake.nix (Nix),
# kettle.rb (Homebrew) and kettle.spec (Fedora, openSUSE). They take the portable archives of this version
# in DIRECTORY: one for each machine that has been built.
set -eu
packages=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/assets/package/release.sh"
output=$packages/recipes

# The machines, by the names of `uname -m`.
machines=
for archive in "$packages/kettle-$version-linux-"*-portable.tar.xz; do
  [ -f "$archive" ] || break
  machine=${archive##*-linux-}
  machines="$machines ${machine%-portable.tar.xz}"
done
if [ -z "$machines" ]; then
  echo "recipes: $packages has no kettle-$version-linux-MACHINE-portable.tar.xz" >&2
  exit 1
fi

sum_of() { sha256sum < "$packages/kettle-$version-linux-$1-portable.tar.xz" | cut -d ' ' -f 1; }
# for_each FORMAT: prints the format for each machine, in which %m is the machine and %s the sum.
for_each() {
  for machine in $machines; do
    printf '%s\n' "$1" | sed "s/%m/$machine/g; s/%s/$(sum_of "$machine")/g"
  done
}
# words FORMAT BETWEEN WORD...: prints the words, each in the format, with BETWEEN between them.
words() {
  printf '%s\n' "$@" | awk 'NR == 1 { format = $0; next } NR == 2 { between = $0; next }
    { printf "%s" format, (NR > 3 ? between : ""), $0 }'
}
# What is under which license: the program, and the libraries that the archive has with it.
licenses=$(described license | sed 's/ AND / /g'; described libraries | sed 's/.* //')
# shellcheck disable=SC2086
licenses=$(printf '%s\n' $licenses | awk '!seen[$0]++')
# An exception is part of its license, and a word here.
apart() { sed 's/-WITH-/ WITH /g'; }
archives=$(described releases)/v$version/kettle-$version-linux

mkdir -p "$output"
# Names of machines, licenses and packages are words of their own on purpose.
# shellcheck disable=SC2046,SC2086
filled PKGBUILD version="$version" machines="$(words %s ' ' $machines)" \
  licenses="$(words "'%s'" ' ' $licenses)" depends="$(words %s ' ' $(described arch_depends))" \
  optdepends="$(words %s ' ' $(described arch_optdepends))" \
  sources="$(for_each "source_%m=('$archives-%m-portable.tar.xz')
sha256sums_%m=('%s')")" | apart > "$output/PKGBUILD"
# shellcheck disable=SC2086
filled flake.nix version="$version" licenses="$(words '"%s"' ' ' $licenses)" \
  archives="$(for_each '        %m-linux = {
          machine = "%m";
          sha256 = "%s";
        };')" | apart > "$output/flake.nix"
# shellcheck disable=SC2086
filled kettle.rb version="$version" licenses="$(words '"%s"' ', ' $licenses)" \
  archives="$(for_each "  on_%m do
    url \"$archives-%m-portable.tar.xz\"
    sha256 \"%s\"
  end" | sed 's/on_x86_64/on_intel/; s/on_aarch64/on_arm/')" |
  sed 's/\("[^" ]*\)-WITH-\([^" ]*"\)/{ \1" => { with: "\2 } }/' > "$output/kettle.rb"
# shellcheck disable=SC2086
filled kettle.spec version="$version" suffix=-portable license="$(words %s ' AND ' $licenses)" \
  machines="$(words %s ' ' $machines)" \
  sums="$(for_each '%ifarch %m
%global sum %s
%endif')" requirements='# The archive has its libraries with it.
AutoReqProv: no
Recommends: '"$(described rpm_recommends)" | apart > "$output/kettle.spec"
echo "recipes: $output/PKGBUILD, flake.nix, kettle.rb and kettle.spec for$machines"
