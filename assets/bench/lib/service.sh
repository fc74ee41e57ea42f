# Kettle's service in a home of its own, and what one piece of work costs it and its commands.

service_id=
home_count=0

# start_service [LINE...]: in a new home, with the lines as its configuration.
start_service() {
  home_count=$((home_count + 1))
  home=$world/home-$home_count
  mkdir -p "$home/run" "$home/config/kettle"
  chmod 700 "$home/run"
  export HOME="$home" XDG_RUNTIME_DIR="$home/run" XDG_STATE_HOME="$home/state"
  export XDG_CONFIG_HOME="$home/config" KETTLE_EXECUTABLE="$build/kettle"
  printf '%s\n' "$@" >"$home/config/kettle/config.toml"
  "$build/kettle" daemon start >/dev/null || fail 'the service does not start'
  find_service
}

find_service() {
  service_id=$("$build/kettle" daemon status --json |
    sed -n 's/.*"processID" *: *\([0-9]*\).*/\1/p')
  [ -n "$service_id" ] || fail 'the service does not say its process id'
}

# Ends the service; its home stays.
stop_service() {
  [ -z "$service_id" ] || "$build/kettle" daemon stop >/dev/null 2>&1 || :
  service_id=
}

# Ends the service and deletes what it leaves: the store of a million takes space.
leave_service() {
  stop_service
  rm -rf "$home" "$world/out"
  mkdir "$world/out"
}

resident_mebibytes() { status_of "$1" VmRSS | awk '{ print $1 / 1024 }'; }

# open_dashboard SECONDS: in a pseudo terminal, for so long. Gives it five seconds to show the list.
open_dashboard() {
  # first-screen waits for a text that no row has.
  "$build/first-screen" "$1" '#no~row%has^this#' "$build/kettle" >/dev/null 2>&1 &
  dashboard_id=$!
  sleep 5
}

# Waits for its end. Fails if it has ended already: what was measured is then a service without one.
close_dashboard() {
  kill -0 "$dashboard_id" 2>/dev/null || fail 'the dashboard ended while it was measured'
  wait "$dashboard_id" || :
}

# come_to_rest PROCESS: returns when it has done nothing for two seconds, or after a minute.
come_to_rest() {
  previous=-1
  tries=0
  while [ "$(ticks_of "$1")" != "$previous" ]; do
    previous=$(ticks_of "$1")
    sleep 2
    tries=$((tries + 1))
    if [ "$tries" -ge 30 ]; then
      say "bench: process $1 is still at work after a minute"
      break
    fi
  done
}

# Adds a list with the options given, waits until all is there, and sums up service and commands. The
# moment between the two commands is nobody's.
kettle_run() {
  forget_peak
  measured_with_service "$build/kettle" add "$@" >"$world/adding"
  measured_with_service "$build/kettle" wait --all >"$world/waiting"
  sum_up "$world/adding" "$world/waiting"
}

# Fetches one file, and sums up service and command. It is as silent as the peers.
kettle_get() {
  forget_peak
  measured_with_service "$build/kettle" get --json "$@" >"$world/getting"
  sum_up "$world/getting"
}

forget_peak() { echo 5 >"/proc/$service_id/clear_refs" 2>/dev/null || :; }

# sum_up FILE...: what was measured of the commands, with the peak of the service.
sum_up() {
  awk -v peak="$(status_of "$service_id" VmHWM)" '
    { wall += $1; cpu += $2 }
    END { print wall, cpu, peak }' "$@"
}
