#!/bin/sh
# Measures the rows that are named, at the client's end of an emulated link. network.sh starts it
# with link-emulator, in the directories `world` and `memory`.
set -eu
bench=assets/bench
runs=${KETTLE_BENCH_RUNS:-3}
json=${KETTLE_BENCH_JSON:-.build/bench-network.json}
. "$bench/lib/all.sh"
. "$bench/network/link.sh"
. "$bench/network/server.sh"
. "$bench/network/programs.sh"
. "$bench/network/turns.sh"
. "$bench/network/results.sh"

serve_files
say_versions
begin_results 1
began=$(date +%s)
for row in "$@"; do
  # shellcheck source=/dev/null
  . "$bench/network/rows/$row.sh"
done
print_table
say "bench: it took $(($(date +%s) - began)) s"
write_network_json "$json"
! is_over || fail 'over the budget'
