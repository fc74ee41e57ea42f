# The throw-away directory of a run.

fail() {
  printf 'bench: %s\n' "$*" >&2
  exit 1
}

say() { printf '%s\n' "$*" >&2; }

finish() {
  stop_service
  stop_origin
  [ -z "${world:-}" ] || rm -rf "$world"
  [ -z "${memory:-}" ] || rm -rf "$memory"
}

make_world() {
  world=$(mktemp -d "${KETTLE_BENCH_DIR:-${TMPDIR:-/tmp}}/kettle-bench-XXXXXX")
  # What is served comes from memory, so that no disk decides how fast.
  memory=$(mktemp -d "/dev/shm/kettle-bench-XXXXXX" 2>/dev/null || mktemp -d)
  trap finish EXIT
  trap 'exit 130' INT TERM
  mkdir "$world/out" "$world/temporary" "$world/results"
  # The temporary file of Swift's own session has to be on the same disk as its target.
  export TMPDIR="$world/temporary"
}
