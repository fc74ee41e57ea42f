#!/bin/sh
# Makes pages of the library's documentation in a directory, as docc and web servers take them, and
# fails on a link that leads nowhere and on a parameter that is not there.
#
#   assets/docs.sh DIRECTORY
set -eu
cd "$(dirname "$0")/.."
if ! command -v docc > /dev/null; then
  echo 'docs: docc is not there; it comes with the Swift toolchain' >&2
  exit 1
fi
swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members \
  --emit-extension-block-symbols
graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT
cp "$(swift build --show-bin-path)"/../symbolgraph/BackgroundTransfer*.symbols.json "$graphs"
docc convert Sources/BackgroundTransfer/Documentation.docc \
  --additional-symbol-graph-dir "$graphs" --output-dir "$1" --warnings-as-errors \
  --fallback-display-name BackgroundTransfer --fallback-bundle-identifier kettle.BackgroundTransfer
