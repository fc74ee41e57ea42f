#!/bin/sh
# man.sh PROGRAM DIRECTORY
# Writes the manual pages into DIRECTORY, and fails if mandoc has a warning.
set -eu
program=$(realpath "$1")
output=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/assets/package/release.sh"
"$program" manual "$output"
for page in kettle-rpc.7 kettle-aria2c.1; do
  sed "s/^\.Dd .*/.Dd $(date -d "@$SOURCE_DATE_EPOCH" '+%B %-d, %Y')/
    s/^\.Os.*/.Os Kettle $version/" "$top/assets/man/$page" > "$output/$page"
done
if command -v mandoc >/dev/null 2>&1; then
  mandoc -Tlint -Wwarning "$output"/*.[157]
  echo "man: mandoc has no warnings for $(ls "$output" | wc -l) pages"
fi
