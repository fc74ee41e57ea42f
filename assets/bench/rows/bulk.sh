# One command for a hundred thousand transfers: the CPU time of the command and of the service.
row=bulk
bulk_count=100000
[ "$many" -ge "$bulk_count" ] || bulk_count=$many
leave_service
start_service "$one_place"
hold_the_place
queue_list "$bulk_count" >"$world/list"
add_list "$world/list" || fail "$bulk_count transfers could not be queued"
rm "$world/list"
come_to_rest "$service_id"

# bulk WHAT BUDGET WORD...: the CPU seconds of a command of kettle.
bulk() {
  what=$1 budget=$2
  shift 2
  cpu=$(command_cost "$@")
  verdict "$row" "$what, CPU time" "$cpu" "$budget" s
}

# Of the ids, half are enough: the list of arguments has a limit (execve(2)).
seq 2 $((bulk_count / 2 + 1)) >"$world/ids"
# shellcheck disable=SC2046
bulk "pause with $((bulk_count / 2)) ids" 5 pause $(cat "$world/ids")
rm "$world/ids"
bulk 'pause --all' 10 pause --all
bulk 'start --all' 10 start --all
bulk 'list --json' 8 list --json
bulk 'remove --all' 5 remove --all
bulk 'undo' 5 undo
"$build/kettle" remove --all >/dev/null
"$build/kettle" bin empty --yes >/dev/null
come_to_rest "$service_id"
note "$row" "resident memory with an empty list: $(resident_mebibytes "$service_id") MiB"

# Finished files, whose removal and return sync directories: wall time, because it waits for the disk.
leave_service
start_service
seq -f "$plain/small/f%04g" 0 $((small_count - 1)) >"$world/list"
"$build/kettle" add -d "$world/out" -i "$world/list" >/dev/null
"$build/kettle" wait --all >/dev/null
rm "$world/list"
rest_disk
for command in 'remove --all --with-file --yes' undo; do
  # shellcheck disable=SC2086
  wall=$(measured "$build/kettle" $command | cut -d ' ' -f 1)
  verdict "$row" "${command% --yes} of $small_count files, wall time" "$wall" 5 s
done
