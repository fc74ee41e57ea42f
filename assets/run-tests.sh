#!/usr/bin/env bash
# run-tests.sh NAME COMMAND…: runs a group of tests, and exits with the status of COMMAND.
# Its output goes to .build/tests/NAME.log. Every half minute it prints how many tests have passed, at
# the end the summary. Failures are appended to .build/tests/failures too, because groups that run
# beside this one may print for minutes after it.
set -uo pipefail
name=$1
shift
log=.build/tests/$name.log
mkdir -p .build/tests
: >"$log"

progress() {
  trap 'kill "$pause"; exit' TERM
  while true; do
    sleep 30 &
    pause=$!
    wait "$pause"
    echo "$name: $(grep -a -c '^✔ Test "' "$log") passed after $SECONDS s"
  done
}
progress &
ticking=$!
trap 'kill "$ticking" 2>/dev/null' EXIT

"$@" >"$log" 2>&1
status=$?
if ((status == 0)) && ! grep -a -q 'Test run with [1-9]' "$log"; then
  echo 'error: no test ran' >>"$log"
  status=1
fi

if ((status != 0)); then
  {
    echo "$name: exit status $status; the whole output is in $log"
    grep -a -E -A 3 '^✘|error:|recorded an issue' "$log" | cut -c 1-300 | head -n 60
    ((status < 128)) || tail -n 20 "$log" | cut -c 1-300
  } | tee -a .build/tests/failures
fi
echo "$name: $(grep -a 'Test run with' "$log" | tail -n 1) (whole group: $SECONDS s)"
exit "$status"
