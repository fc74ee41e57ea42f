#!/bin/sh
# Writes the results of the last benchmarks, those that are in .build, into the documentation.
set -eu
cd "$(dirname "$0")/../.."
page=docs/performance.md
found=

# write_numbers RESULTS PROGRAM
write_numbers() {
  [ -r "$1" ] || return 0
  found=yes
  awk -f assets/bench/lib/json.awk -f "$2" "$1" "$page" >.build/performance.md
  mv .build/performance.md "$page"
}

write_numbers .build/bench.json assets/bench/numbers.awk
write_numbers .build/bench-network.json assets/bench/network/numbers.awk
[ -n "$found" ] || {
  echo 'numbers: there are no results; make bench and make bench-network write them' >&2
  exit 1
}
