# The same work with a thousand to a million queued transfers: what it costs. Only `make bench
# ROW=growth` measures it, for some minutes.
row=growth

# growing WHAT WORD...: notes what a command costs.
growing() {
  what=$1
  shift
  cpu=$(command_cost "$@")
  note "$row" "$growth_count rows, $what: $cpu s"
}

for growth_count in 1000 10000 100000 1000000; do
  [ "$growth_count" -le "$many" ] || continue
  leave_service
  start_service "$one_place"
  hold_the_place
  queue_list "$growth_count" >"$world/list"
  growing 'add -i' add -d "$world/out" -i "$world/list"
  rm "$world/list"
  check_queued "$growth_count"
  come_to_rest "$service_id"
  note "$row" "$growth_count rows, held: $(resident_mebibytes "$service_id") MiB, store $(du -sm "$home/state" | cut -f 1) MiB"
  note "$row" "$growth_count rows, one runs, no client: $(cost_a_second 10) ms/s"
  open_dashboard 20
  note "$row" "$growth_count rows, one runs, dashboard: $(cost_a_second 10) ms/s"
  close_dashboard
  growing 'list --json' list --json
  growing hosts hosts
  growing 'daemon status' daemon status
  growing queues queues
  growing 'why of the last' why "$((growth_count + 1))"
  if [ "$growth_count" -le 100000 ]; then
    growing 'pause --all' pause --all
    growing 'start --all' start --all
    growing 'reset' reset --yes
    growing 'remove --all' remove --all --yes
    growing 'undo' undo
  fi
  note "$row" "$growth_count rows, started: ready after $(ready_seconds) s"
  find_service
  note "$row" "$growth_count rows, held after a start: $(resident_mebibytes "$service_id") MiB"
done
