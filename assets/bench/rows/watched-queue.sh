# A dashboard open on a hundred thousand queued transfers while twenty run: what that costs the service.
row=watched-queue
watched_count=100000
[ "$many" -ge "$watched_count" ] || watched_count=$many
leave_service
start_service '[limits]' 'transfers = 20'
seq -f "$plain/hold/running-%g.bin" 20 >"$world/list"
"$build/kettle" add -d "$world/out" -i "$world/list" >/dev/null
queue_list "$watched_count" >"$world/list"
add_list "$world/list" || fail "$watched_count transfers could not be queued"
rm "$world/list"
check_queued "$watched_count"
come_to_rest "$service_id"
note "$row" "$watched_count queued, 20 running, no client: $(cost_a_second 20) ms/s"
open_dashboard 40
verdict "$row" 'CPU time a second' "$(cost_a_second 20)" 50 ms
close_dashboard
