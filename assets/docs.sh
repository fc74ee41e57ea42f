#!/bin/sh
# Makes the documentation of the library into a directory, for docc or a web server, and fails on a
# link that leads nowhere or a parameter that is not there.
#
#   assets/docs.sh DIRECTORY
set -eu
cd "$(dirname "$0")/.."
catalogue=Sources/BackgroundTransfer/Documentation.docc
if ! command -v docc > /dev/null; then
  echo 'docs: docc is not there; it comes with the Swift toolchain' >&2
  exit 1
fi
swift build --target BackgroundTransfer
built=$(swift build --show-bin-path)
graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT
swift symbolgraph-extract -module-name BackgroundTransfer -I "$built/Modules" -I Sources/CLinux \
  -target "$(uname -m)-unknown-linux-gnu" -minimum-access-level public \
  -emit-extension-block-symbols -output-dir "$graphs"
docc convert "$catalogue" --additional-symbol-graph-dir "$graphs" --output-dir "$1" \
  --fallback-display-name BackgroundTransfer --fallback-bundle-identifier kettle.BackgroundTransfer \
  --warnings-as-errors
