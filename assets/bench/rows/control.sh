# Requests while 64 connections bring 16 MiB a second and a hundred thousand transfers wait.
row=control
control_count=100000
[ "$many" -ge "$control_count" ] || control_count=$many
leave_service
start_service '[limits]' 'transfers = 8' 'connections-per-host = 64' 'connections = 64'
seq -f "$plain/trickle/part-%g.bin" 8 >"$world/list"
"$build/kettle" add -d "$world/out" --connections 8 -i "$world/list" >/dev/null
queue_list "$control_count" >"$world/list"
add_list "$world/list" || fail "$control_count transfers could not be queued"
rm "$world/list"
"$build/control-requests" 64 200 >"$world/requests" || fail 'control-requests failed'
check_queued "$control_count"
awk -F '\t' '$1 != "connections"' "$world/requests" >"$world/requests.kinds"
while IFS='	' read -r kind count half most longest; do
  note "$row" "$(printf '%s: %s requests, half within %.1f ms, 99 of 100 within %.1f ms, longest %.1f ms' \
    "$kind" "$count" "$half" "$most" "$longest")"
done <"$world/requests.kinds"
note "$row" "$control_count queued, connections before and after: $(sed -n 's/^connections	//p' "$world/requests")"
# Less would be another piece of work.
awk -F '\t' '$1 == "connections" && ($2 < 64 || $3 < 64) { exit 1 }' "$world/requests" ||
  fail 'there were not always 64 connections'
verdict "$row" '99 of 100 requests, the slowest kind' \
  "$(awk -F '\t' '$4 > most { most = $4 } END { print most }' "$world/requests.kinds")" 50 ms
