#!/bin/bash
# test-archive.sh ARCHIVE
# Signs the archive with a key for this test alone, and installs from it: what install.sh verifies before
# it writes, what it refuses, and that it removes everything it installed.
set -euo pipefail
archive=$(realpath "$1")
trial=test-archive
. "$(dirname "$0")/trial.sh"
name=$(basename "$archive" .tar.xz)
mkdir "$work/home" "$work/download"
cd "$work/download"
export HOME=$work/home
cp "$archive" .
# A key without a password.
for key in maker stranger; do
  minisign -G -f -W -p "$work/$key.pub" -s "$work/$key.key" >/dev/null
done
sha256sum "$name.tar.xz" > SHA256SUMS
minisign -S -s "$work/maker.key" -m SHA256SUMS -t "$name" >/dev/null
tar -xf "$name.tar.xz"
public=$(sed -n 2p "$work/maker.pub")

# refused WHY PATTERN COMMAND...: the command must fail with such a message, and must not have written.
refused() {
  local why=$1 pattern=$2
  shift 2
  ! "$@" > "$work/log" 2>&1 || fail "$why was accepted"
  grep -q "$pattern" "$work/log" || { cat "$work/log"; fail "$why was refused for another reason"; }
  [ -z "$(find "$work/home" -mindepth 1)" ] || fail "something was written in spite of $why"
}

# As the documentation says: verify, unpack, install.
minisign -V -q -m SHA256SUMS -P "$public" || fail 'minisign -V'
sha256sum --check --ignore-missing --quiet SHA256SUMS || fail 'sha256sum --check'
"$name/install.sh" "$work/home/.local" > "$work/log" || { cat "$work/log"; fail 'install.sh'; }
"$work/home/.local/bin/kettle" --version > "$work/version" || fail 'kettle --version'
"$name/install.sh" --remove "$work/home/.local" >/dev/null || fail 'install.sh --remove'
[ -z "$(find "$work/home" -mindepth 1 ! -type d)" ] || fail "there remain: $(find "$work/home")"
rm -rf "${work:?}/home"
mkdir "$work/home"
say "installed $(cat "$work/version"), and removed every file of it"

refused 'the key of a stranger' 'is not signed with' \
  "$name/install.sh" --key "$work/stranger.pub" "$work/home/.local"
cp -r "$name" "$work/kept"
echo >> "$name/share/doc/kettle/rpc.md"
refused 'another file' 'differ from SHA256SUMS' "$name/install.sh" "$work/home/.local"
# With the key the folder does not matter: the signed archive is unpacked again.
"$name/install.sh" --key "$work/maker.pub" "$work/home/.local" > "$work/log" || fail 'install.sh --key'
grep -q "is signed with $public" "$work/log" || fail 'install.sh --key does not say so'
cmp "$work/home/.local/share/doc/kettle/rpc.md" "$work/kept/share/doc/kettle/rpc.md" ||
  fail 'install.sh --key installed another file'
rm -rf "${work:?}/home"
mkdir "$work/home"
printf x | dd of="$name.tar.xz" bs=1 seek=5000 conv=notrunc status=none
refused 'another archive' 'differs from the signed SHA256SUMS' \
  "$name/install.sh" --key "$public" "$work/home/.local"
sha256sum "$name.tar.xz" > SHA256SUMS
refused 'other digests' 'is not signed with' "$name/install.sh" --key "$public" "$work/home/.local"
mkdir "$work/few"
for program in sh dirname basename id sed head mktemp; do
  ln -s "$(command -v "$program")" "$work/few/"
done
refused 'a key without minisign' 'minisign is missing' \
  env PATH="$work/few" sh "$name/install.sh" --key "$public" "$work/home/.local"
say 'refused: the key of a stranger, another file, another archive, other digests, no minisign'
say 'everything passed'
