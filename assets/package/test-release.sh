#!/bin/bash
# test-release.sh
# Tries the checks of make-release.sh in a copy of the tree: each state that it must refuse, with the reason
# that it must give. It comes to building in none of them. Needs minisign and gpg.
set -euo pipefail
trial=test-release
package=$(realpath "$(dirname "$0")")
top=$(realpath "$package/../..")
. "$package/release.sh"
. "$package/trial.sh"
export GIT_AUTHOR_NAME=maker GIT_AUTHOR_EMAIL=maker@example.org GIT_COMMITTER_NAME=maker \
  GIT_COMMITTER_EMAIL=maker@example.org GNUPGHOME=$work/gnupg
mkdir -m 700 "$GNUPGHOME"
unset MINISIGN KEY UNSIGNED OTHERS
git clone -q "$top" "$work/tree"
cd "$work/tree"
# What is not committed yet is tried, too.
cp -r "$package" assets/
# A target with this name would build; here it says that the checks are over.
printf 'deb:\n\t@echo the checks are over; exit 1\n' > Makefile
headed() { printf '# Changelog\n\n%b\n\n- A change.\n' "$1" > CHANGELOG.md; }
commit() { git add -A && git commit -q --allow-empty -m "$1"; }
today=$(date +%F)
headed "## [$version] - $today"
commit 'Release it'

# refused REASON COMMAND...
refusals=0
refused() {
  local reason=$1
  shift
  ! "$@" > "$work/log" 2>&1 || fail "it was not refused: $reason"
  grep -q "$reason" "$work/log" || { cat "$work/log"; fail "another reason than: $reason"; }
  refusals=$((refusals + 1))
}
release() { assets/package/make-release.sh "$@"; }

refused 'name the version' release
refused 'name the version' release 1.2
refused "says $version, not 99.0.0" release 99.0.0
touch new-file
refused 'the tree has changes' release "$version"
rm new-file
git tag "v$version" HEAD~1
refused 'is another commit' release "$version"
git tag -d "v$version" >/dev/null
git tag v99.0.0
refused 'v99.0.0 is newer' release "$version"
git tag -d v99.0.0 >/dev/null
for heading in "## [$version]:has no date" "## [$version] - 2026-13-01:is no date" \
  "## [$version] - 2999-01-01:is in the future" "## [Unreleased]:has no section" \
  "## [$version] - $today\n\n## [0.0.1]:says nothing below"; do
  headed "${heading%:*}"
  commit 'Write the changelog'
  refused "${heading##*:}" release "$version"
done
headed "## [$version] - $today"
commit 'Write the changelog'
refused 'no key for SHA256SUMS (MINISIGN=FILE) and the repository' release "$version"
refused 'is not there' env MINISIGN="$work/none.key" assets/package/make-release.sh "$version"
minisign -G -f -W -p "$work/maker.pub" -s "$work/maker.key" >/dev/null
refused 'no key for the repository' env MINISIGN="$work/maker.key" assets/package/make-release.sh "$version"
refused 'gpg has no secret key' env KEY=nobody@example.org assets/package/make-release.sh "$version"
refused 'the checks are over' env UNSIGNED=1 assets/package/make-release.sh "$version"
git tag "v$version"
refused 'the checks are over' env UNSIGNED=1 assets/package/make-release.sh "$version"
say "$refusals states were treated as they must"
