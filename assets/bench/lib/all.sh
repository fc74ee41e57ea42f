# What every measurement needs: where things are, how often they run, and the functions of the other
# files beside this one. Read from the root of the repository, with `bench` saying where this is.

build=$PWD/.build/release
pairs=${KETTLE_BENCH_PAIRS:-7}
# Where much time goes by and little noise is in it.
few_pairs=$((pairs < 3 ? pairs : 3))
# Where nginx may be.
PATH=$PATH:/usr/sbin:/sbin

. "$bench/lib/world.sh"
. "$bench/lib/machine.sh"
. "$bench/lib/origin.sh"
. "$bench/lib/processors.sh"
. "$bench/lib/measure.sh"
. "$bench/lib/service.sh"
. "$bench/lib/peers.sh"
. "$bench/lib/queue.sh"
. "$bench/lib/big-file.sh"
. "$bench/lib/results.sh"
. "$bench/lib/points.sh"
