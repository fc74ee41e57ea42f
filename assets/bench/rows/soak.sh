# 500 additions every ten seconds for an hour, or KETTLE_BENCH_SOAK_SECONDS, with the RPC open and a
# client that asks it every second: how the cost of an addition and the memory of the service grow.
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
  # Not longer than this program, however it ends.
  while kill -0 $$ 2>/dev/null; do
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
  next=$((now + 10))
  before=$(ticks_of "$service_id")
  "$build/kettle" add -d "$world/out" -i "$world/list" >/dev/null
  "$build/kettle" wait --all >/dev/null
  added=$((added + 500))
  echo "$added $(($(ticks_of "$service_id") - before)) $(private_kibibytes)" >>"$world/soak"
  "$build/kettle" remove --all --with-file --yes >/dev/null
  now=$(date +%s)
  [ "$now" -ge "$next" ] || sleep $((next - now))
done
kill "$asker"
rm "$world/list"

# Straight lines fitted to the last three quarters; the first has what grows once.
awk -v hz="$(getconf CLK_TCK)" '
  function fit(value, i, x, n, sx, sy, sxx, sxy) {
    for (i = first; i <= NR; i++) {
      x = i - first; n++; sx += x; sy += value[i]; sxx += x * x; sxy += x * value[i]
    }
    slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    start = (sy - slope * sx) / n
    end = start + slope * (n - 1)
  }
  { cost[NR] = 1000 * $2 / hz / 500; held[NR] = $3 / 1024; count = $1 }
  END {
    first = int(NR / 4) + 1
    if (NR - first < 3) exit 1
    fit(cost); printf "%d %.3f %.3f %.3f ", count, start, end, end / start
    fit(held); printf "%.1f %.1f %.1f\n", start, end, end - start
  }' "$world/soak" >"$world/soaked" || fail 'the soak was too short'
read -r added early late ratio early_held late_held held_more <"$world/soaked"
note "$row" "$added additions in $soak_seconds s, a line fitted to the last three quarters of them:"
note "$row" "CPU time of an addition: $early ms at its start, $late ms at its end"
note "$row" "private memory: $early_held MiB at its start, $late_held MiB at its end"
verdict "$row" 'CPU time of an addition, end over start of the line' "$ratio" 1.15 ratio
verdict "$row" 'private memory, end beyond start of the line' "$held_more" 16 MiB
