# One run of one program: `wall_s cpu_s peak_kib` on standard output.

# Runs a program to its end, which has to come within MEASURED_RUN_SECONDS.
measured() {
  "$build/measured-run" "$world/measured" "$@" >"$world/peer.out" 2>&1 ||
    fail "$1 failed: $(tail -n 3 "$world/peer.out")"
  cat "$world/measured"
}

# The same with the CPU time that the service takes meanwhile.
measured_with_service() {
  "$build/measured-run" --with "$service_id" "$world/measured" "$@" >"$world/peer.out" 2>&1 ||
    fail "$1 failed: $(tail -n 3 "$world/peer.out")"
  cat "$world/measured"
}

# command_cost WORD...: the CPU seconds of a command of kettle and of the service meanwhile.
command_cost() { measured_with_service "$build/kettle" "$@" | awk '{ printf "%.3f\n", $2 }'; }

# User and system time of a process that runs, in clock ticks (proc_pid_stat(5), fields 14 and 15).
# The name in field 2 may have spaces, so that counting begins behind its bracket.
ticks_of() { sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'; }

# cost_a_second SECONDS: the service's CPU time for so long, in milliseconds a second.
cost_a_second() {
  before=$(ticks_of "$service_id")
  sleep "$1"
  awk -v t=$(($(ticks_of "$service_id") - before)) -v s="$1" -v hz="$(getconf CLK_TCK)" \
    'BEGIN { print 1000 * t / hz / s }'
}

status_of() { awk -v key="$2:" '$1 == key { print $2 }' "/proc/$1/status"; }

same_file() { cmp -s "$1" "$2" || fail "\"$1\" is not the file that was served"; }

# Returns when no disk has anything left to do, or after some seconds. What was deleted is given back
# to the device at the next commit of the file system (ext4(5), discard), within the time of whoever
# runs then.
rest_disk() {
  sync -f "$world"
  looked=
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    counted=$(cat /proc/diskstats)
    [ "$counted" != "$looked" ] || return 0
    looked=$counted
    sleep 0.3
  done
}

median() {
  sort -n | awk '
    { value[NR] = $1 }
    END {
      printf "%.7g\n", NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2
    }'
}

spread() {
  sort -n | awk '
    NR == 1 { least = $1 }
    { most = $1 }
    END { printf "%.4g-%.4g", least, most }'
}
