#!/bin/sh
# tree.sh PROGRAM PREFIX [DESTDIR]
# Installs Kettle below DESTDIR/PREFIX: the program without symbols, manual pages, completions, units
# of systemd, desktop entries, icon, metainfo, licenses, the WebExtension and what lets browsers start its
# host. PROGRAM prints its own pages, completions and manifests, unless KETTLE_TEXTS names another build
# that does, because PROGRAM is for another machine.
set -eu
program=$(realpath "$1")
texts_program=$(realpath "${KETTLE_TEXTS:-$1}")
prefix=$2
root=${3:-}$prefix
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/assets/package/release.sh"
texts=$(mktemp -d)
trap 'rm -rf "$texts"' EXIT

put() { install -D -m "$1" "$2" "$root/$3"; }

# A file of its own: the program may be running.
cp "$program" "$texts/kettle"
# The hashes of modules depend on the folder of the build, and only the compiler reads them. Without
# their section the program would lose its protection of relocated data, so they become zeros.
if command -v strip >/dev/null 2>&1; then
  strip --strip-unneeded --remove-section=.comment "$texts/kettle"
  if objcopy --dump-section ".swift_modhash=$texts/hashes" "$texts/kettle" /dev/null 2>/dev/null; then
    head -c "$(stat -c %s "$texts/hashes")" /dev/zero > "$texts/zeros"
    objcopy --update-section ".swift_modhash=$texts/zeros" "$texts/kettle"
  fi
fi
# The linker notes that libraries may be beside the program. None is, and nothing else may be found.
if command -v chrpath >/dev/null 2>&1; then chrpath -d "$texts/kettle" >/dev/null 2>&1 || true; fi
put 755 "$texts/kettle" bin/kettle
# The same program, which looks at its name.
ln -sf kettle "$root/bin/kettle-aria2c"
mkdir -p "$root/libexec/kettle"
ln -sf ../../bin/kettle "$root/libexec/kettle/kettle-native-host"

"$top/assets/package/man.sh" "$texts_program" "$texts/man" >/dev/null
for page in "$texts"/man/*; do
  gzip -9n "$page"
  put 644 "$page.gz" "share/man/man${page##*.}/${page##*/}.gz"
done

# Debian has a folder of its own for the completions that packages bring for zsh.
zsh=share/zsh/site-functions
[ "$prefix" != /usr ] || [ ! -f /etc/debian_version ] || zsh=share/zsh/vendor-completions
for shell in bash zsh fish; do "$texts_program" completion "$shell" > "$texts/$shell"; done
put 644 "$texts/bash" share/bash-completion/completions/kettle
put 644 "$texts/zsh" "$zsh/_kettle"
put 644 "$texts/fish" share/fish/vendor_completions.d/kettle.fish

# systemd looks for a user's own units below share.
units=lib/systemd/user
case $prefix in "${HOME:-/nowhere}"/*) units=share/systemd/user ;; esac
sed "s|^ExecStart=[^ ]*|ExecStart=$prefix/bin/kettle|" "$top/assets/systemd/kettle.service" \
  > "$texts/kettle.service"
put 644 "$texts/kettle.service" "$units/kettle.service"
put 644 "$top/assets/systemd/kettle.socket" "$units/kettle.socket"

put 644 "$top/assets/package/kettle.desktop" share/applications/kettle.desktop
put 644 "$top/assets/package/kettle-link.desktop" share/applications/kettle-link.desktop
put 644 "$top/assets/package/kettle.svg" share/icons/hicolor/scalable/apps/kettle.svg
sed "s/@VERSION@/$version/; s/@DATE@/$(date -d "@$SOURCE_DATE_EPOCH" +%F)/" \
  "$top/assets/package/metainfo.xml" > "$texts/metainfo.xml"
put 644 "$texts/metainfo.xml" share/metainfo/org.example.kettle.metainfo.xml
for file in "$top"/assets/webextension/*.* "$top"/assets/webextension/icons/*; do
  put 644 "$file" "share/kettle/webextension/${file#"$top"/assets/webextension/}"
done

# Browsers look for the manifests of all users in these folders only, whatever the prefix.
case $prefix in
  /usr | /usr/local)
    manifest() {
      "$texts_program" browser manifest "$1" "$prefix/libexec/kettle/kettle-native-host" > "$texts/manifest"
      install -D -m 644 "$texts/manifest" "${root%"$prefix"}$2/org.example.kettle.json"
    }
    manifest firefox /usr/lib/mozilla/native-messaging-hosts
    manifest chromium /etc/chromium/native-messaging-hosts
    manifest chrome /etc/opt/chrome/native-messaging-hosts
    ;;
esac

put 644 "$top/assets/package/copyright" share/doc/kettle/copyright
gzip -9n -c "$top/CHANGELOG.md" > "$texts/changelog.gz"
put 644 "$texts/changelog.gz" share/doc/kettle/changelog.gz
# All of them, because they refer to each other.
for page in "$top"/docs/*.md; do put 644 "$page" "share/doc/kettle/${page##*/}"; done
