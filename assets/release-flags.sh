#!/bin/sh
# Prints with which flags the release program is built.
#
# With Swift's libraries in it where the toolchain has them for that, as those of swift.org do: a
# command then starts in half the time, most of which is the loading of shared libraries. All
# release builds take the same flags, or each would build everything anew.
set -eu
resources=$(swiftc -print-target-info -static-stdlib 2>/dev/null |
  sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')
if [ -n "$resources" ] && [ -r "$resources/linux/libFoundation.a" ]; then
  echo --static-swift-stdlib
fi
# Builds in two folders give equal programs: it names no folder of the machine that built it, and has
# no build id, which is made from the symbols too. The flags are words: a folder with a blank in its
# name cannot be one of them.
echo '-Xlinker --build-id=none'
root=$(cd "$(dirname "$0")/.." && pwd)
case $root in
  *[[:space:]]*) ;;
  *) echo "-Xcc -ffile-prefix-map=$root=kettle" ;;
esac
# Where a closure must not have escaped, the compiler writes the length of the path of the source file
# into the program; GRDB has such a place. So the compiler finds .build, which has the packages, by a name
# of the same length everywhere.
build=/tmp/kettle-$(printf '%s' "$root" | sha256sum | cut -c 1-16)
mkdir -p "$root/.build"
[ "$(readlink "$build")" = "$root/.build" ] || ln -sfn "$root/.build" "$build" || true
# Everyone may write to /tmp. In a folder that is not ours, or behind another's link, others could change
# what is built; nobody but its owner can replace a link there.
if [ ! -L "$build" ] || [ "$(stat -c %u "$build")" != "$(id -u)" ] ||
  [ "$(readlink "$build")" != "$root/.build" ]; then
  echo "release-flags: $build is not a link of this user to $root/.build; remove it" >&2
  exit 1
fi
echo "--scratch-path $build -Xcc -ffile-prefix-map=$build=kettle/.build"
