#!/bin/sh
# Measures how the costs of Kettle and of a peer grow: with connections, with what is queued, and
# with the size of the files. `make growth` draws what it writes.
#
#     assets/bench/growth.sh [connections|queue|sizes...]
#
#     KETTLE_GROWTH_MIB      the file that comes over several connections, 1024
#     KETTLE_GROWTH_LARGEST  the largest file in MiB, 10240; it needs twice that on the disk
#     KETTLE_BENCH_PAIRS     how often each program runs, 3 at most; the slowest points once
#     KETTLE_BENCH_MANY      the longest queue, 1000000
#     KETTLE_BENCH_DIR       where downloads go; by default the directory for temporary files
#     KETTLE_GROWTH_JSON     where the numbers go as JSON, .build/growth.json
#
# What cannot be measured here is left out, and the JSON says why.
set -eu
cd "$(dirname "$0")/../.."
bench=assets/bench
mebibytes=${KETTLE_GROWTH_MIB:-1024}
largest_mebibytes=${KETTLE_GROWTH_LARGEST:-10240}
json=${KETTLE_GROWTH_JSON:-.build/growth.json}
. "$bench/lib/all.sh"

parts=${*:-connections queue sizes}
for part in $parts; do
  [ -r "$bench/growth/$part.sh" ] || fail "there is no part \"$part\": connections, queue, sizes"
done
flags=$(assets/release-flags.sh)
for program in kettle origin-sockets measured-run first-screen; do
  # The flags are words of their own on purpose.
  # shellcheck disable=SC2086
  swift build -c release $flags --product "$program"
done

# The largest file takes its time.
export MEASURED_RUN_SECONDS=1800
make_world $((mebibytes + 1024)) $((mebibytes + many / 512 + 512))
start_origin
say_versions
begin_results growth
for part in $parts; do
  # shellcheck source=/dev/null
  . "$bench/growth/$part.sh"
done
write_points "$json"
