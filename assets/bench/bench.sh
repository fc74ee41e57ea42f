#!/bin/sh
# Builds what is measured, measures Kettle beside its peers, by turns on this machine, and compares
# with the budgets.
#
#     assets/bench/bench.sh [ROW...]
#
# Without ROW all rows are measured; the files in assets/bench/rows are the rows. Everything lives in
# a directory that is deleted at the end.
#
#     KETTLE_BENCH_PAIRS   how often each program runs, 3
#     KETTLE_BENCH_MIB     the size of the big file, 2048
#     KETTLE_BENCH_DIR     where downloads go; by default the directory for temporary files
#     KETTLE_BENCH_JSON    where the numbers go as JSON, .build/bench.json
#
# It exits with 1 when a row is over its budget or a file is not what was served.
set -eu
cd "$(dirname "$0")/../.."
bench=assets/bench
build=$PWD/.build/release
pairs=${KETTLE_BENCH_PAIRS:-3}
mebibytes=${KETTLE_BENCH_MIB:-2048}
json=${KETTLE_BENCH_JSON:-.build/bench.json}
PATH=$PATH:/usr/sbin:/sbin

. "$bench/lib/world.sh"
. "$bench/lib/origin.sh"
. "$bench/lib/measure.sh"
. "$bench/lib/service.sh"
. "$bench/lib/peers.sh"
. "$bench/lib/results.sh"

# The order of the budgets in the documentation.
all_rows='plain-1 plain-4 tls-1 small-files slow-origin dashboard idle library'
programs='kettle kettle-floor measured-run session-download foundation-download dashboard-frames'
rows=${*:-$all_rows}
for row in $rows; do
  [ -r "$bench/rows/$row.sh" ] || fail "there is no row \"$row\"; there are: $all_rows"
done
for program in $programs; do
  swift build -c release --product "$program"
done

make_world
start_origin
say_versions
for row in $rows; do
  # Every row has its own home and its own service, so that none finds what another left.
  start_service
  . "$bench/rows/$row.sh"
  stop_service
done
write_json "$json"
print_table
