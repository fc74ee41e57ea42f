# The emulated link itself, measured with curl and the counters of the kernel. Deviations are shares
# of what was asked for.

# deviation MEASURED NOMINAL
deviation() {
  awk -v measured="$1" -v nominal="$2" 'BEGIN { d = measured / nominal - 1; print (d < 0 ? -d : d) }'
}

# How often the kernel of the server sent segments again, and how many segments it sent
# (proc_net_snmp in proc(5)).
segments() { at_server awk '$1 == "Tcp:" && $2 ~ /^[0-9]/ { print $13, $12 }' /proc/net/snmp; }

# Seconds for a file of 64 MiB, twice at the same time.
seconds_for_both() {
  timed 120 curl -sS --parallel -o /dev/null "$origin/64.bin" -o /dev/null "$origin/64.bin" ||
    fail "curl did not fetch the files in two minutes: $(tail -n 3 "$world/peer.out")"
  cut -d ' ' -f 1 "$world/measured"
}
both_bytes=$((2 * 64 * 1048576))

# Opening a connection takes one round trip. The least is what the link adds; the others waited for a
# processor, too.
emulate 100 80 0 80 100
begin_run 1
: >"$world/round-trips"
for _ in 1 2 3 4 5 6 7; do
  curl -sS -o "$world/round-trip" -w '%{time_connect}\n' "$origin/small/f000" >>"$world/round-trips"
done
round_trip=$(sort -n "$world/round-trips" | head -n 1)
note "$row" "round-trip time: $round_trip s of 0.08 s"
verdict "$row" 'round-trip time, deviation' "$(deviation "$round_trip" 0.08)" 0.02 ratio

# 1448 of 1500 bytes are data (IPv4 and TCP with timestamps).
for rate in 100 1000; do
  emulate "$rate" 4 0 40 "$rate"
  begin_run 1
  rate_measured=$(awk -v s="$(seconds_for_both)" -v bytes="$both_bytes" \
    'BEGIN { print bytes * 8 / s / 1e6 * 1500 / 1448 }')
  note "$row" "rate: $rate_measured Mbit/s of $rate Mbit/s"
  verdict "$row" "rate of $rate Mbit/s, deviation" "$(deviation "$rate_measured" "$rate")" 0.03 ratio
done

# A lost segment is sent again once, as a rule.
emulate 300 4 0.005 100 300
begin_run 1
segments_before=$(segments)
seconds_for_both >"$world/seconds"
loss_measured=$(echo "$segments_before $(segments)" | awk '{ print ($3 - $1) / ($4 - $2) }')
end_run
note "$row" "loss: $loss_measured of segments sent again, 0.005 asked for"
verdict "$row" 'loss of 0.5 %, deviation' "$(deviation "$loss_measured" 0.005)" 0.2 ratio
