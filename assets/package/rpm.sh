#!/bin/sh
# rpm.sh PROGRAM DIRECTORY
# Makes kettle-VERSION-1.ARCHITECTURE.rpm in DIRECTORY, where rpmbuild is.
set -eu
program=$1
output=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/assets/package/release.sh"
if ! command -v rpmbuild >/dev/null 2>&1; then
  echo 'rpm: rpmbuild is missing; install rpm-build (Fedora) or rpm (Debian)' >&2
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HOME=$work "$top/assets/package/tree.sh" "$program" /usr "$work/tree"
tree=$work/tree/usr
# Where Fedora's zsh looks.
if [ -d "$tree/share/zsh/vendor-completions" ]; then
  mv "$tree/share/zsh/vendor-completions" "$tree/share/zsh/site-functions"
fi
# Where Fedora's Firefox looks.
case $(uname -m) in
  *64)
    mkdir -p "$tree/lib64"
    mv "$tree/lib/mozilla" "$tree/lib64/mozilla"
    ;;
esac
mkdir -p "$tree/share/licenses/kettle"
mv "$tree/share/doc/kettle/copyright" "$tree/share/licenses/kettle/copyright"
install -m 644 "$top/LICENSE" "$tree/share/licenses/kettle/LICENSE"
find "$work/tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

cat > "$work/kettle.spec" <<SPEC
Name: kettle
Version: $version
Release: 1
Summary: Downloads that continue in the background
License: Apache-2.0 AND MIT AND BSD-3-Clause AND Unicode-3.0
URL: https://example.org/kettle
# The program loads these when it needs them.
Requires: libcurl.so.4()(64bit)
Requires: libssl.so.3()(64bit)
Requires: libz.so.1()(64bit)
Requires: libbrotlidec.so.1()(64bit)
Requires: libzstd.so.1()(64bit)
Requires: libxxhash.so.0()(64bit)
Recommends: ca-certificates
# Only for a fleet.
Suggests: libpq.so.5()(64bit)

%description
Kettle is a dashboard in the terminal for downloads. A background service
fetches the files and continues when the dashboard, the terminal or the login
session ends. A file with its final name is complete and correct.

%install
cp -a $work/tree/. %{buildroot}/

%files
$(cd "$work/tree" && find usr -type f -o -type l | LC_ALL=C sort | sed 's|^|/|')
$(cd "$work/tree" && find etc -type f | LC_ALL=C sort | sed 's|^|%config(noreplace) /|')
SPEC

mkdir -p "$output"
rpmbuild -bb --quiet --define "_topdir $work/rpm" --define "_rpmdir $output" \
  --define '_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' \
  --define 'debug_package %{nil}' --define '__os_install_post %{nil}' \
  --define '_build_id_links none' --define '_buildhost localhost' \
  --define 'use_source_date_epoch_as_buildtime 1' \
  --define 'clamp_mtime_to_source_date_epoch 1' --buildroot "$work/root" "$work/kettle.spec"
for file in "$output"/kettle-"$version"-1.*.rpm; do
  echo "rpm: $file, $(stat -c %s "$file") bytes"
done
