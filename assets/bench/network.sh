#!/bin/sh
# Builds what is measured, and measures Kettle's default beside its peers over emulated networks, by
# turns, with real TCP.
#
#     assets/bench/network.sh [ROW...]
#
# Without ROW all rows are measured; the files in assets/bench/network/rows are the rows. It needs
# root, for network namespaces and tun devices (link-emulator). Everything lives in namespaces and
# in directories that are deleted at the end; nothing of the machine is changed.
#
#     KETTLE_BENCH_RUNS   how often each program runs in each row, 3
#     KETTLE_BENCH_DIR    where downloads go; by default the directory for temporary files
#     KETTLE_BENCH_JSON   where the numbers go as JSON, .build/bench-network.json
#
# It exits with 1 when a row is over its budget or Kettle's file is not what was served.
set -eu
cd "$(dirname "$0")/../.."
bench=assets/bench
. "$bench/lib/all.sh"

# The order of the documentation.
all_rows='emulator lan cable atlantic wifi satellite throttled small byte outage'
rows=${*:-$all_rows}
for row in $rows; do
  [ -r "$bench/network/rows/$row.sh" ] || fail "there is no row \"$row\"; there are: $all_rows"
done
[ "$(id -u)" -eq 0 ] ||
  fail 'it makes network namespaces and tun devices, which only root may: sudo make bench-network'

flags=$(assets/release-flags.sh)
for program in kettle measured-run link-emulator origin-sockets; do
  # The flags are words of their own on purpose.
  # shellcheck disable=SC2086
  swift build -c release $flags --product "$program"
done

# Served: the files of all rows. Written: one file at a time, and the homes of the services.
make_world 768 1024
export world memory
# Everything that is started ends with it. The rows are words of their own.
# shellcheck disable=SC2086
"$build/link-emulator" "$bench/network/measure.sh" $rows
