#!/bin/bash
# test-apt.sh DEB [RELEASE...]
# Makes a repository with a key for this test alone, serves it on the loopback, and runs the commands of
# docs/installing.md in new systems of Debian, as root: installation, a download, removal. Then it tries what
# apt must refuse. Default: bookworm and trixie.
set -euo pipefail
deb=$(realpath "$1")
shift
trial=test-apt
. "$(dirname "$0")/trial.sh"
package=$(realpath "$(dirname "$0")")
releases=("$@")
[ $# -gt 0 ] || releases=(bookworm trixie)

# Two keys, of which the second is somebody else's.
export GNUPGHOME=$work/gnupg
mkdir -m 700 "$GNUPGHOME"
for name in maker stranger; do
  gpg --batch --quiet --pinentry-mode loopback --passphrase '' --quick-generate-key \
    "$name <$name@example.org>" ed25519 sign never 2>/dev/null
done
mkdir -p "$work/site" "$work/packages"
cp "$deb" "$work/packages/"
"$package/apt-repository.sh" "$work/packages" maker@example.org
mv "$work/packages/apt" "$work/site/apt"
serve "$work/site"
sed -i "s|https://example.org/kettle|http://127.0.0.1:$port|" "$work/site/apt/kettle.sources"

# as_documented PART: runs the commands of docs/installing.md in the new system.
as_documented() {
  local commands
  commands=$(documented 'Debian and Ubuntu (apt)' "$1") || exit 1
  inside sh -exc "cd /home/anna; $commands" > "$work/$1.log" 2>&1 ||
    { tail -5 "$work/$1.log"; fail "what docs/installing.md says on: $1"; }
}

for release in "${releases[@]}"; do
  new_system "$release" ca-certificates wget
  say "Debian $(cat "$root/etc/debian_version") ($release)"
  # apt would ask whether to go on.
  echo 'APT::Get::Assume-Yes "true";' > "$root/etc/apt/apt.conf.d/90yes"
  files_inside > "$work/before"

  as_documented install
  version=$(inside kettle --version) || fail 'kettle --version'
  say "apt installed $version, $(grep -c '^Setting up' "$work/install.log") packages with what it needs"
  cp "$root/etc/apt/keyrings/kettle.asc" "$root/etc/apt/sources.list.d/kettle.sources" "$work/"
  as_documented 'first download'
  find "$root/home/anna" -name kettle.asc -exec cmp "$work/site/apt/kettle.asc" {} \; -print | grep -q . ||
    fail "the file is not there: $(cat "$work/first download.log")"
  as_documented uninstall
  files_inside > "$work/after"
  left=$(comm -13 "$work/before" "$work/after" | grep -i kettle |
    grep -v -e '^/home/anna/' -e '^/var/lib/apt/lists/' || true)
  [ -z "$left" ] || fail "after the removal there remain: $left"
  say 'kettle get fetched a file, and apt removed everything of the package'
  cp "$work/kettle.asc" "$root/etc/apt/keyrings/"
  cp "$work/kettle.sources" "$root/etc/apt/sources.list.d/"

  # A package with other bytes than the repository says.
  pool=$(find "$work/site/apt/pool" -name '*.deb')
  cp "$pool" "$work/kept.deb"
  printf x | dd of="$pool" bs=1 seek=100000 conv=notrunc status=none
  inside apt-get clean
  ! inside apt-get install kettle >"$work/apt.log" 2>&1 || fail 'apt installed a package with other bytes'
  grep -qi 'hash sum mismatch' "$work/apt.log" || { cat "$work/apt.log"; fail 'apt gave another reason'; }
  mv "$work/kept.deb" "$pool"
  # The same repository, signed with another key.
  "$package/apt-repository.sh" "$work/packages" stranger@example.org >/dev/null
  mv "$work/site/apt" "$work/kept"
  mv "$work/packages/apt" "$work/site/apt"
  ! inside apt-get update --error-on=any >"$work/apt.log" 2>&1 || fail 'apt accepted a stranger'
  grep -q -e NO_PUBKEY -e 'Missing key' "$work/apt.log" ||
    { cat "$work/apt.log"; fail 'apt gave another reason'; }
  rm -rf "$work/site/apt"
  mv "$work/kept" "$work/site/apt"
  say 'apt refused other bytes and a signature of another key'
  leave_system
done
say 'everything passed'
