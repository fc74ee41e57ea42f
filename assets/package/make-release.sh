#!/bin/bash
# make-release.sh VERSION
# Makes a release of a clean tree: everything that is published, in .build/releases/vVERSION, with the
# digests of all files, their signature, and a list of what is in it (SBOM). It publishes and tags nothing.
#
# In the environment:
#   MINISIGN  the file of a secret key of minisign; its public key is beside it, with .pub for .key
#   KEY       a key of gpg, which signs the repository for apt
#   UNSIGNED  1 to go on without one of them
#   OTHERS    a folder with packages of the same commit for other machines, which were built there
set -euo pipefail
version_wanted=${1:-}
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
. assets/package/release.sh
say() { printf 'release: %s\n' "$*"; }
fail() { printf 'release: %s\n' "$*" >&2; exit 1; }

# The tree.
[[ $version_wanted =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail 'name the version: make release VERSION=1.2.3'
[ "$version" = "$version_wanted" ] ||
  fail "ProtocolVersion.swift says $version, not $version_wanted"
[ -z "$(git status --porcelain)" ] || fail 'the tree has changes; commit or remove them'
commit=$(git rev-parse HEAD)
tag=v$version
if tagged=$(git rev-parse -q --verify "refs/tags/$tag^{commit}"); then
  [ "$tagged" = "$commit" ] || fail "$tag is another commit; a version is released once"
fi
newest=$(git tag --list 'v[0-9]*' --merged HEAD | sort -V | tail -1)
[ -z "$newest" ] || [ "$(printf '%s\n' "$newest" "$tag" | sort -V | tail -1)" = "$tag" ] ||
  fail "$newest is newer than $tag"

# The changelog.
heading=$(grep -m1 -F "## [$version]" CHANGELOG.md) || fail "CHANGELOG.md has no section [$version]"
[[ $heading =~ ^"## [$version] - "([0-9]{4}-[0-9]{2}-[0-9]{2})$ ]] ||
  fail "CHANGELOG.md has no date: ## [$version] - $(date +%F)"
date -d "${BASH_REMATCH[1]}" >/dev/null 2>&1 || fail "CHANGELOG.md: ${BASH_REMATCH[1]} is no date"
[ "$(date -d "${BASH_REMATCH[1]}" +%s)" -le "$(date +%s)" ] ||
  fail "CHANGELOG.md: ${BASH_REMATCH[1]} is in the future"
awk -v heading="$heading" '$0 == heading { inside = 1; next } /^## / { inside = 0 }
  inside && /^- / { found = 1 } END { exit !found }' CHANGELOG.md ||
  fail "CHANGELOG.md says nothing below $heading"

# The pages. The extension has a number of its own.
others=$(grep -noE 'kettle[-_:][0-9]+\.[0-9]+\.[0-9]+|/v[0-9]+\.[0-9]+\.[0-9]+/' \
  README.md docs/installing.md assets/package/compose.yaml | grep -vE "[-_:v]${version//./\\.}/?\$" || true)
[ -z "$others" ] || fail "another version than $version: $(head -3 <<< "$others" | tr '\n' ' ')"

# The keys.
unsigned=
if [ -z "${MINISIGN:-}" ]; then
  unsigned='SHA256SUMS (MINISIGN=FILE)'
else
  command -v minisign >/dev/null || fail 'minisign is missing'
  MINISIGN=$(realpath "$MINISIGN")
  public=${MINISIGN%.key}.pub
  for file in "$MINISIGN" "$public"; do [ -f "$file" ] || fail "$file is not there"; done
fi
if [ -z "${KEY:-}" ]; then
  unsigned="${unsigned:+$unsigned and }the repository for apt (KEY=FINGERPRINT)"
elif ! gpg --batch --list-secret-keys "$KEY" >/dev/null 2>&1; then
  fail "gpg has no secret key $KEY"
fi
if [ -n "$unsigned" ]; then
  [ "${UNSIGNED:-}" = 1 ] || fail "no key for $unsigned; UNSIGNED=1 goes on without"
  say "no key for $unsigned: this release is not signed"
fi

# Everything, built anew.
packages=.build/package
rm -rf "$packages" .build/extension ".build/releases/$tag"
mkdir -p "$packages" ".build/releases/$tag"
[ -z "${OTHERS:-}" ] || cp "$OTHERS"/kettle[-_]"$version"* "$packages/"
has_target() { grep -q "^$1:" Makefile; }
make_it() { say "make $1"; make --no-print-directory "$@" || fail "make $1 failed"; }
for target in deb tarball portable image extension; do
  if has_target "$target"; then make_it "$target"; fi
done
if has_target portable; then
  assets/package/recipes.sh "$packages"
  # What is made here for this system's libraries may not suit others.
  if command -v rpmbuild >/dev/null; then assets/package/rpm.sh --recipe "$packages"; fi
fi
[ -z "${KEY:-}" ] || assets/package/apt-repository.sh "$packages" "$KEY"

# What is published.
release=$PWD/.build/releases/$tag
mkdir -p .build/extension
find "$packages" -maxdepth 1 -type f -name "*$version*" ! -name '*.sha256' -exec cp -p {} "$release/" \;
find .build/extension -maxdepth 1 -type f -exec cp -p {} "$release/" \;
if [ -d "$packages/recipes" ]; then cp "$packages"/recipes/* "$release/"; fi
# A build with the same versions of the libraries has the same bytes.
cp Package.resolved "$release/Package.resolved"
git archive --prefix="kettle-$version/" --add-file=Package.resolved --format=tar HEAD |
  xz -T1 -6 > "$release/kettle-$version-source.tar.xz"
sbom=kettle-$version.spdx.json
(
  cd "$release"
  "$top/assets/package/sbom.py" "$top/.build/release/kettle" kettle[-_]"$version"* > "$top/$packages/$sbom"
  mv "$top/$packages/$sbom" .
  "$top/assets/package/sbom.py" --check "$sbom"
  find . -type f -printf '%P\n' | sort | xargs sha256sum > "$top/$packages/SHA256SUMS"
  mv "$top/$packages/SHA256SUMS" .
  if [ -n "${MINISIGN:-}" ]; then
    minisign -S -s "$MINISIGN" -m SHA256SUMS -t "kettle $version"
    minisign -V -q -p "$public" -m SHA256SUMS
    cp "$public" kettle.pub
  fi
)
# The repository for apt has a signature of its own.
if [ -d "$packages/apt" ]; then cp -r "$packages/apt" "$release/apt"; fi

say "$release:"
(cd "$release" && find . -type f -printf '%10s  %P\n' | sort -k 2)
say "to tag it: git tag -a $tag -m 'Kettle $version' $commit"
