# Transfers that stay queued: few may run, and those that do hold their places, because the origin
# gives them a kibibyte a second. What waits behind them costs what any queued transfer costs.

many=${KETTLE_BENCH_MANY:-1000000}
# What one list may take before it is given up, so that the machine survives.
adding_seconds_max=180
adding_mebibytes_max=4096

one_place='[limits]
transfers = 1'

# queue_list COUNT: the URLs, one a line.
queue_list() {
  awk -v base="$plain/hold" -v count="$1" 'BEGIN {
    for (i = 1; i <= count; i++) printf "%s/archive/%04d/picture-%07d.jpg\n", base, i % 1000, i
  }'
}

# Takes the one place of a service that was started with it.
hold_the_place() {
  "$build/kettle" add -d "$world/out" --connections 1 "$plain/hold/the-place" >/dev/null
}

# add_list FILE: adds it and sets `added_count` and `added_seconds`. Returns 1 when it took too much
# and was given up, with the service gone, and sets `given_up_mebibytes` to what that held.
add_list() {
  "$build/measured-run" "$world/measured" "$build/kettle" add -d "$world/out" -i "$1" \
    >"$world/added" 2>"$world/peer.out" &
  adder=$!
  steps=0
  given_up_mebibytes=
  while kill -0 "$adder" 2>/dev/null; do
    held=$(status_of "$service_id" VmRSS 2>/dev/null || :)
    if [ "${held:-0}" -gt $((adding_mebibytes_max * 1024)) ] ||
      [ "$steps" -gt $((adding_seconds_max * 5)) ]; then
      given_up_mebibytes=$((${held:-0} / 1024))
      # Without its service the command ends, too.
      kill -9 "$service_id"
      break
    fi
    steps=$((steps + 1))
    sleep 0.2
  done
  if wait "$adder"; then added_status=0; else added_status=$?; fi
  added_count=$(wc -l <"$world/added")
  added_seconds=$(cut -d ' ' -f 1 "$world/measured")
  rm "$world/added"
  if [ -n "$given_up_mebibytes" ]; then
    service_id=
    return 1
  fi
  [ "$added_status" -eq 0 ] || fail "the list was not added: $(tail -n 3 "$world/peer.out")"
}

# Everything that was added has to wait still, or what is measured is something else.
check_queued() {
  tries=0
  while :; do
    count=$("$build/kettle" daemon status --json | sed -n 's/.*"queued" *: *\([0-9]*\).*/\1/p')
    # Right after a start the one that holds the place may still be in the line itself.
    [ "${count:-0}" -eq $(($1 + 1)) ] && [ "$tries" -lt 50 ] || break
    sleep 0.1
    tries=$((tries + 1))
  done
  [ "${count:-0}" -eq "$1" ] || fail "${count:-none} of $1 transfers are queued"
}

# Seconds of `kettle daemon start`, which returns when the service answers.
ready_seconds() {
  stop_service
  measured "$build/kettle" daemon start | cut -d ' ' -f 1
}

# Seconds from the dashboard's command, with no service running, to the first rows on its screen; 60
# when there are none by then.
first_screen_seconds() {
  stop_service
  "$build/first-screen" 60 picture- "$build/kettle" 2>>"$world/first-screen.log" || echo 60
}
