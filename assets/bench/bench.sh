#!/bin/sh
# Builds what is measured, measures Kettle beside its peers, by turns on this machine, and compares
# with the budgets.
#
#     assets/bench/bench.sh [ROW...]
#
# Without ROW all rows are measured but soak, which takes an hour, growth, and fleet; the files in
# assets/bench/rows are the rows. Everything lives in a directory that is deleted at the end.
#
#     KETTLE_BENCH_RUNS    how often all of it is measured, 1
#     KETTLE_BENCH_PAIRS   how often programs run whose ratio has a budget, 7; in rows that take long
#                          and have little noise 3 times at most
#     KETTLE_BENCH_MIB     the size of the big file, 2048
#     KETTLE_BENCH_MANY    how many transfers are queued in the row million, 1000000
#     KETTLE_BENCH_SOAK_SECONDS   how long the row soak takes, 3600
#     KETTLE_BENCH_DIR     where downloads go; by default the directory for temporary files
#     KETTLE_BENCH_JSON    where the numbers go as JSON, .build/bench.json
#
# It exits with 1 when a row is over its budget or a file is not what was served.
set -eu
cd "$(dirname "$0")/../.."
bench=assets/bench
runs=${KETTLE_BENCH_RUNS:-1}
mebibytes=${KETTLE_BENCH_MIB:-2048}
json=${KETTLE_BENCH_JSON:-.build/bench.json}
. "$bench/lib/all.sh"

# The order of the budgets in the documentation.
all_rows='plain-1 plain-4 tls-1 small-files slow-origin million bulk many-running watched-queue control dashboard idle library'
programs='kettle kettle-floor origin-sockets measured-run session-download foundation-download
  first-screen control-requests dashboard-frames'
rows=${*:-$all_rows}
for row in $rows; do
  [ -r "$bench/rows/$row.sh" ] || fail "there is no row \"$row\"; there are: $all_rows"
done

flags=$(assets/release-flags.sh)
for program in $programs; do
  # The flags are words of their own on purpose.
  # shellcheck disable=SC2086
  swift build -c release $flags --product "$program"
done

# Served: the big file, a part of it for the library, and the small ones. Written: one big file, or
# the store of many, or the small ones of all pairs.
make_world $((mebibytes * 3 / 2 + 512)) $((mebibytes + many / 512 + pairs * 128 + 512))
start_origin
say_versions
status=0
run=1
while [ "$run" -le "$runs" ]; do
  [ "$runs" -eq 1 ] || say "bench: run $run of $runs"
  began=$(date +%s)
  begin_results "$run"
  for row in $rows; do
    # Every row has its own home and its own service, so that none finds what another left.
    start_service ''
    # shellcheck source=/dev/null
    . "$bench/rows/$row.sh"
    leave_service
  done
  print_table
  say "bench: it took $(($(date +%s) - began)) s"
  ! is_over || status=1
  run=$((run + 1))
done
write_json "$json"
[ "$runs" -eq 1 ] || print_runs
[ "$status" -eq 0 ] || fail 'over the budget'
