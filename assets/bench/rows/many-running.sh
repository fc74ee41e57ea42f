# Many transfers that run at the same time, 20 of each host, over connections that bring little: what
# the service costs while nobody asks it anything. The origin gives each connection a kibibyte a second.
row=many-running
running_seconds=20

# running_list COUNT
running_list() {
  awk -v port="$port" -v count="$1" 'BEGIN {
    for (i = 0; i < count; i++)
      printf "http://127.0.1.%d:%d/hold/%d.bin\n", 1 + int(i / 20), port, i
  }'
}

running_count() {
  "$build/kettle" daemon status --json | sed -n 's/.*"running" *: *\([0-9]*\).*/\1/p'
}

# Sets `cost` to the milliseconds of CPU time a second with so many running transfers.
running_cost() {
  leave_service
  start_service '[limits]' "transfers = $1" 'connections = 1000' 'connections-per-host = 24'
  running_list "$1" >"$world/list"
  "$build/kettle" add -d "$world/out" -i "$world/list" >/dev/null
  rm "$world/list"
  tries=0
  while running=$(running_count) && [ "${running:-0}" -ne "$1" ] && [ "$tries" -lt 60 ]; do
    tries=$((tries + 1))
    sleep 1
  done
  # Until then connections move between transfers.
  sleep 5
  cost=$(cost_a_second "$running_seconds")
  running=$(running_count)
  [ "${running:-0}" -eq "$1" ] || fail "${running:-none} of $1 transfers run"
}

for count in 100 200 400; do
  running_cost "$count"
  note "$row" "$count running: $cost ms/s"
done
running_cost 1000
verdict "$row" '1,000 running, CPU time a second' "$cost" 100 ms
