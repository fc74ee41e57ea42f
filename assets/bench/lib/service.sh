# Kettle's service in a home of its own, and what one piece of work costs it and its commands.

service_id=
home_count=0

start_service() {
  home_count=$((home_count + 1))
  home=$world/home-$home_count
  mkdir -p "$home/run" "$home/config/kettle"
  chmod 700 "$home/run"
  export HOME="$home" XDG_RUNTIME_DIR="$home/run" XDG_STATE_HOME="$home/state"
  export XDG_CONFIG_HOME="$home/config" KETTLE_EXECUTABLE="$build/kettle"
  "$build/kettle" daemon start >/dev/null || fail 'the service does not start'
  service_id=$("$build/kettle" daemon status --json |
    sed -n 's/.*"processID" *: *\([0-9]*\).*/\1/p')
  [ -n "$service_id" ] || fail 'the service does not say its process id'
}

stop_service() {
  [ -z "$service_id" ] || "$build/kettle" daemon stop >/dev/null 2>&1 || :
  service_id=
}

# Adds with the options given, waits until all is there, and sums up service and commands.
kettle_run() {
  echo 5 >"/proc/$service_id/clear_refs" 2>/dev/null || :
  ticks_before=$(ticks_of "$service_id")
  measured "$build/kettle" add "$@" >"$world/adding"
  measured "$build/kettle" wait >"$world/waiting"
  ticks_after=$(ticks_of "$service_id")
  peak=$(status_of "$service_id" VmHWM)
  awk -v ticks="$((ticks_after - ticks_before))" -v hz="$ticks_per_second" -v peak="$peak" '
    { wall += $1; cpu += $2 }
    END { print wall, cpu + ticks / hz, peak }' "$world/adding" "$world/waiting"
}
