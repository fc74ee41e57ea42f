#!/bin/sh
# Builds what is measured, measures Kettle beside its peers, by turns on this machine, and compares
# with the budgets.
#
#     assets/bench/bench.sh [ROW...]
#
# Without ROW all rows are measured; the files in assets/bench/rows are the rows. Everything lives in
# a directory that is deleted at the end.
#
#     KETTLE_BENCH_RUNS    how often all of it is measured, 1
#     KETTLE_BENCH_PAIRS   how often programs run whose ratio has a budget, 7, and the floor up to
#                          thrice as often; in rows that take long and have little noise 3 times at most
#     KETTLE_BENCH_MIB     the size of the big file, 2048
#     KETTLE_BENCH_MANY    how many transfers are queued in the row million, 1000000
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
# When a run begins nothing more of its second part, so that it ends within a quarter of an hour.
last_pair_seconds=810
. "$bench/lib/all.sh"

# The order of the budgets in the documentation.
all_rows='plain-1 plain-4 tls-1 small-files slow-origin million control dashboard idle library'
programs='kettle kettle-floor origin-sockets measured-run session-download foundation-download
  first-screen control-requests dashboard-frames'
rows=${*:-$all_rows}
for row in $rows; do
  [ -r "$bench/rows/$row.sh" ] || fail "there is no row \"$row\"; there are: $all_rows"
done

# rows_of beginning|end: those of that part of a run. Only the rows of a big file come again at its
# end, for the second part of their distance to the floor.
rows_of() {
  for name in $rows; do
    if [ "$1" = beginning ] || grep -q '^big_file ' "$bench/rows/$name.sh"; then echo "$name"; fi
  done
}

for program in $programs; do
  # shellcheck disable=SC2046
  swift build -c release $(assets/release-flags.sh) --product "$program"
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
  for part in beginning end; do
    part_rows=$(rows_of "$part")
    rows_left=$(echo "$part_rows" | wc -l)
    for row in $part_rows; do
      # Each has the same share of what is left of the run.
      now=$(date +%s)
      row_until=$((now + (began + last_pair_seconds - now) / rows_left))
      rows_left=$((rows_left - 1))
      # Every row has its own home and its own service, so that none finds what another left.
      start_service ''
      # shellcheck source=/dev/null
      . "$bench/rows/$row.sh"
      leave_service
    done
  done
  order_verdicts "$rows"
  print_table
  say "bench: it took $(($(date +%s) - began)) s"
  ! is_over || status=1
  run=$((run + 1))
done
write_json "$json"
[ "$runs" -eq 1 ] || print_runs
[ "$status" -eq 0 ] || fail 'over the budget'
