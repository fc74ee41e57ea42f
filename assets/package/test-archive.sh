#!/bin/bash
# test-archive.sh ARCHIVE
# Signs the archive with a key for this test alone, and installs from it: what install.sh verifies before
# it writes, what it refuses, and that it removes everything that it made and nothing else.
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
[ -z "$(find "$work/home" -mindepth 1)" ] || fail "there remain: $(find "$work/home")"
say "installed $(cat "$work/version"), and removed every file and folder of it"

# What was there before stays; what only the version before had goes.
mkdir -p "$work/home/.local/libexec/kettle" "$work/home/.local/share/man/man1"
echo mine > "$work/home/.local/libexec/kettle/mine"
find "$work/home" | sort > "$work/before"
"$name/install.sh" "$work/home/.local" >/dev/null || fail 'install.sh into folders of others'
list=$work/home/.local/share/kettle/installed
echo old > "$work/home/.local/libexec/kettle/old"
printf 'file libexec/kettle/old\nfile ../../before\n' >> "$list"
"$name/install.sh" "$work/home/.local" >/dev/null || fail 'install.sh over another version'
[ ! -e "$work/home/.local/libexec/kettle/old" ] || fail 'a file of the version before stays'
[ -e "$work/before" ] || fail 'a file outside of the prefix was removed'
"$name/install.sh" --remove "$work/home/.local" >/dev/null || fail 'install.sh --remove'
find "$work/home" | sort | diff "$work/before" - || fail 'something else than before is there'
rm -rf "${work:?}/home"
mkdir "$work/home"
say "kept what is not Kettle's, and removed what only the version before had"

odd="$work/home/a & b's|%n"
"$name/install.sh" "$odd" >/dev/null || fail 'install.sh into an odd folder'
grep -qxF "ExecStart=\"$work/home/a & b's|%%n/bin/kettle\" daemon run" \
  "$odd/share/systemd/user/kettle.service" || fail 'the unit does not start the program'
"$odd/bin/kettle" --version >/dev/null || fail "$odd/bin/kettle"
CDPATH=/etc "$name/install.sh" --remove "$odd" >/dev/null || fail 'install.sh --remove of an odd folder'
mkdir "$work/stage"
(cd "$work/stage" && DESTDIR=root "$work/download/$name/install.sh" /opt/kettle) ||
  fail 'install.sh with a relative DESTDIR'
[ -x "$work/stage/root/opt/kettle/bin/kettle" ] || fail 'DESTDIR is another folder'
[ ! -e "$work/stage/root/opt/kettle/share/kettle/installed" ] || fail 'a package has a list of files'
ln -s /etc/passwd "$name/bin/stranger"
"$name/install.sh" "$work/home/.local" >/dev/null || fail 'install.sh beside a strange link'
[ ! -e "$work/home/.local/bin/stranger" ] || fail 'a link without a digest was installed'
"$name/install.sh" --remove "$work/home/.local" >/dev/null
rm "$name/bin/stranger"
[ -z "$(find "$work/home" -mindepth 1)" ] || fail "there remain: $(find "$work/home")"
say 'installed into an odd folder and a package, and no link without a digest'

refused 'an empty prefix' 'not an absolute path' "$name/install.sh" ''
refused 'a quote in the prefix' 'has a quote' "$name/install.sh" "$work/home/a\"b"
refused 'two prefixes' 'install.sh --remove' "$name/install.sh" "$work/home/a" "$work/home/b"
refused '--remove of nothing' 'nothing is known to be installed' \
  "$name/install.sh" --remove "$work/home/.local"
refused '--remove in a package' 'does not go with DESTDIR' \
  env DESTDIR="$work/home" "$name/install.sh" --remove /usr

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
for program in sh dirname basename id sed head mktemp rm; do
  ln -s "$(command -v "$program")" "$work/few/"
done
refused 'a key without minisign' 'minisign is missing' \
  env PATH="$work/few" sh "$name/install.sh" --key "$public" "$work/home/.local"
say 'refused: the key of a stranger, another file, another archive, other digests, no minisign'
say 'everything passed'
