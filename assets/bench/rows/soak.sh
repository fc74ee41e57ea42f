# Additions for an hour, or KETTLE_BENCH_SOAK_SECONDS, with the RPC open and a client that asks it every
# second: what an addition costs, and what the service holds, at the beginning and at the end.
row=soak
soak_seconds=${KETTLE_BENCH_SOAK_SECONDS:-3600}
leave_service
start_service
# The port above those of the origin.
rpc_port=$((port + 2))
"$build/kettle" rpc enable --port "$rpc_port" >/dev/null
rpc_secret=$("$build/kettle" rpc secret)
soak_url() { echo "http://127.0.0.1:$rpc_port/jsonrpc"; }

ask_rpc() {
  while :; do
    curl -s --max-time 20 -o /dev/null -d '{"jsonrpc":"2.0","id":1,"method":"aria2.tellStopped",
      "params":["token:'"$rpc_secret"'",0,100]}' "$(soak_url)" || :
    sleep 1
  done
}

private_kibibytes() { awk '/^Private_Dirty:/ { sum += $2 } END { print sum }' "/proc/$service_id/smaps_rollup"; }

ask_rpc &
asker=$!
began=$(date +%s)
seq -f "$plain/small/f%04g" 0 499 >"$world/list"
: >"$world/soak"
added=0
while now=$(date +%s) && [ $((now - began)) -lt "$soak_seconds" ]; do
  before=$(ticks_of "$service_id")
  "$build/kettle" add -d "$world/out" -i "$world/list" >/dev/null
  "$build/kettle" wait --all >/dev/null
  added=$((added + 500))
  echo "$added $(($(ticks_of "$service_id") - before)) $(private_kibibytes)" >>"$world/soak"
  "$build/kettle" remove --all --with-file >/dev/null
done
kill "$asker"
rm "$world/list"

# The last quarter over the second one: the first has what grows once.
awk -v hz="$(getconf CLK_TCK)" '
  { ticks[NR] = $2; held[NR] = $3; count = $1 }
  END {
    quarter = int(NR / 4)
    for (i = quarter + 1; i <= 2 * quarter; i++) { early += ticks[i]; early_held += held[i] }
    for (i = NR - quarter + 1; i <= NR; i++) { late += ticks[i]; late_held += held[i] }
    if (quarter == 0 || early == 0) exit 1
    print count, 1000 * early / hz / quarter / 500, 1000 * late / hz / quarter / 500, late / early,
      early_held / quarter / 1024, late_held / quarter / 1024
  }' "$world/soak" >"$world/soaked" || fail 'the soak was too short'
read -r added early late ratio early_held late_held <"$world/soaked"
note "$row" "$added additions in $soak_seconds s: $early ms of CPU each in the second quarter, $late ms in the last"
note "$row" "private memory: $early_held MiB in the second quarter, $late_held MiB in the last"
verdict "$row" 'CPU time of an addition, last quarter over the second' "$ratio" 1.15 ratio
verdict "$row" 'private memory, last quarter beyond the second' \
  "$(awk -v a="$late_held" -v b="$early_held" 'BEGIN { print a - b }')" 16 MiB
