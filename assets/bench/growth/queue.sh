# A thousand to a million transfers that wait behind one.
plot queue-memory 'Memory with a queue' 'queued transfers' 'MiB resident'
plot queue-time 'Time with a queue' 'queued transfers' seconds

queue_missing() {
  for plot in queue-memory queue-time; do missing "$plot" "$1" "$2" "$3"; done
}

# aria2c takes its list into memory; how long that takes it does not say.
queue_aria2() {
  aria2c -q -j1 --file-allocation=none -d "$world/out" -i "$world/list" >"$world/peer.out" 2>&1 &
  peer_id=$!
  held=0
  previous=-1
  while [ "$(ticks_of "$peer_id")" != "$previous" ]; do
    previous=$(ticks_of "$peer_id")
    sleep 1
    held=$(resident_mebibytes "$peer_id")
    if [ "${held%.*}" -gt "$adding_mebibytes_max" ]; then
      missing queue-memory aria2c "$1" "given up with ${held%.*} MiB"
      held=
      break
    fi
  done
  [ -z "$held" ] || point queue-memory aria2c "$1" "$held"
  stop_peer
  rm -f "$world/out"/*
}

queue_kettle() {
  start_service "$one_place"
  hold_the_place
  if ! add_list "$world/list"; then
    queue_missing Kettle "$1" "given up with $given_up_mebibytes MiB"
    leave_service
    return
  fi
  check_queued "$1"
  point queue-time 'Kettle: added' "$1" "$added_seconds"
  come_to_rest "$service_id"
  point queue-memory Kettle "$1" "$(resident_mebibytes "$service_id")"
  round=1
  while [ "$round" -le "$few_pairs" ]; do
    sample "queue-$1" ready "$(ready_seconds)" 0 0
    sample "queue-$1" first-screen "$(first_screen_seconds)" 0 0
    round=$((round + 1))
  done
  point queue-time 'Kettle: ready' "$1" "$(median_of "queue-$1" ready 3)"
  point queue-time 'Kettle: first screen' "$1" "$(median_of "queue-$1" first-screen 3)"
  find_service
  leave_service
}

for queued in 1000 10000 100000 1000000; do
  if [ "$queued" -gt "$many" ]; then
    queue_missing Kettle "$queued" "KETTLE_BENCH_MANY is $many"
    missing queue-memory aria2c "$queued" "KETTLE_BENCH_MANY is $many"
    continue
  fi
  queue_list "$queued" >"$world/list"
  queue_kettle "$queued"
  queue_aria2 "$queued"
done
rm "$world/list"
