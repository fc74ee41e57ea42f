# The throw-away directory of a run.

fail() {
  printf 'bench: %s\n' "$*" >&2
  exit 1
}

say() { printf '%s\n' "$*" >&2; }

finish() {
  stop_service
  stop_peer
  stop_origin
  [ -z "${world:-}" ] || rm -rf "$world"
  [ -z "${memory:-}" ] || rm -rf "$memory"
}

free_mebibytes() { df -Pk "$1" 2>/dev/null | awk 'NR == 2 { print int($4 / 1024) }'; }

# make_world SERVED WRITTEN: a place for WRITTEN MiB that are measured, and one in memory for SERVED
# MiB, so that no disk decides how fast they are.
make_world() {
  needed=$2
  world=$(mktemp -d "${KETTLE_BENCH_DIR:-${TMPDIR:-/tmp}}/kettle-bench-XXXXXX")
  trap finish EXIT
  trap 'exit 130' INT TERM
  free=$(free_mebibytes /dev/shm)
  if [ "${free:-0}" -gt "$1" ]; then
    memory=$(mktemp -d /dev/shm/kettle-bench-XXXXXX)
  else
    say "bench: /dev/shm has less than $1 MiB free; what is served comes from the disk"
    memory=$(mktemp -d "$world/served-XXXXXX")
    needed=$((needed + $1))
  fi
  [ "$(free_mebibytes "$world")" -gt "$needed" ] ||
    fail "\"$world\" has less than $needed MiB free; name another directory in KETTLE_BENCH_DIR"
  mkdir "$world/out" "$world/temporary"
  # The temporary file of Swift's own session has to be on the same disk as its target.
  export TMPDIR="$world/temporary"
}
