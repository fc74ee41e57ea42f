# A million queued transfers: what it costs to add them, to hold them, and to start with them.
row=million
queue_list "$many" >"$world/list"

# per_second SECONDS
per_second() { awk -v n="$added_count" -v s="$1" 'BEGIN { print n / s }'; }

# Into a store that has nothing else, a few times; the last one stays.
add_million() {
  round=1
  while [ "$round" -le "$few_pairs" ]; do
    leave_service
    rest_disk
    start_service "$one_place"
    hold_the_place
    if ! add_list "$world/list"; then
      note "$row" "given up at $added_count transfers after $added_seconds s with $given_up_mebibytes MiB"
      verdict "$row" 'transfers added a second' "$(per_second "$added_seconds")" 50000 1/s least
      verdict "$row" 'resident memory' "$given_up_mebibytes" 150 MiB
      return 1
    fi
    check_queued "$many"
    sample "$row" adding "$added_seconds" 0 0
    round=$((round + 1))
  done
  note "$row" "$added_count transfers added in $(spread_of "$row" adding 3) s"
  verdict "$row" 'transfers added a second' "$(per_second "$(median_of "$row" adding 3)")" 50000 1/s least
  note "$row" "$added_count transfers: $(status_of "$service_id" VmHWM) KiB at most while they were added"
  come_to_rest "$service_id"
  verdict "$row" 'resident memory after adding' "$(resident_mebibytes "$service_id")" 150 MiB
}

start_with_million() {
  round=1
  while [ "$round" -le "$few_pairs" ]; do
    sample "$row" ready "$(ready_seconds)" 0 0
    sample "$row" first-screen "$(first_screen_seconds)" 0 0
    round=$((round + 1))
  done
  note "$row" "ready after $(spread_of "$row" ready 3) s, first screen after $(spread_of "$row" first-screen 3) s"
  verdict "$row" 'started until ready' "$(median_of "$row" ready 3)" 1 s
  verdict "$row" 'dashboard and service started until rows' "$(median_of "$row" first-screen 3)" 1 s
  find_service
  check_queued "$many"
  come_to_rest "$service_id"
  verdict "$row" 'resident memory after starting' "$(resident_mebibytes "$service_id")" 150 MiB
}

if add_million; then start_with_million; fi
rm "$world/list"
