#!/bin/sh
# rpm.sh PROGRAM DIRECTORY   makes kettle-VERSION-1.ARCHITECTURE.rpm in DIRECTORY, for this system: it
#                            requires the libraries of the system
# rpm.sh --recipe DIRECTORY  makes it from DIRECTORY/recipes/kettle.spec and the portable archive beside that
set -eu
program=$1
mkdir -p "$2"
output=$(realpath "$2")
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/assets/package/release.sh"
if ! command -v rpmbuild >/dev/null 2>&1; then
  echo 'rpm: rpmbuild is missing; install rpm-build (Fedora) or rpm (Debian)' >&2
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build SPEC SOURCES: makes the package.
build() {
  rpmbuild -bb --quiet --define "_topdir $work/rpm" --define "_sourcedir $2" \
    --define "_rpmdir $output" --define '_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' \
    --define '_binary_payload w6.xzdio' --define '_buildhost localhost' \
    --define 'use_source_date_epoch_as_buildtime 1' \
    --define 'clamp_mtime_to_source_date_epoch 1' "$1"
  file=$output/kettle-$version-1.$(uname -m).rpm
  echo "rpm: $file, $(stat -c %s "$file") bytes"
}

if [ "$program" = --recipe ]; then
  build "$output/recipes/kettle.spec" "$output"
  exit 0
fi
"$top/assets/package/tarball.sh" "$program" "$work" >/dev/null

requirements=
for kind in requires recommends suggests; do
  for name in $(described "rpm_$kind"); do
    case $name in *.so.*) name="$name()(%{__isa_bits}bit)" ;; esac
    tag=$(printf %.1s "$kind" | tr '[:lower:]' '[:upper:]')${kind#?}
    requirements="$requirements$tag: $name
"
  done
done
machine=$(uname -m)
sum=$(sha256sum < "$work/kettle-$version-linux-$machine.tar.xz" | cut -d ' ' -f 1)
filled kettle.spec version="$version" suffix= machines="$machine" sums="%global sum $sum" \
  requirements="$requirements" > "$work/kettle.spec"

build "$work/kettle.spec" "$work"
