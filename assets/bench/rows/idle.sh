# A service with nothing to do: how often it wakes up, and what it holds.
row=idle
idle_seconds=20

# How often each thread of the service was given a processor (proc_pid_status(5)).
switches() {
  awk '/^Pid:/ { thread = $2 } /ctxt_switches/ { sum[thread] += $2 }
    END { for (thread in sum) print thread, sum[thread] }' /proc/"$service_id"/task/*/status
}

# What starting up needs is another matter.
come_to_rest "$service_id"
switches >"$world/before"
sleep "$idle_seconds"
switches >"$world/after"
# A thread that has ended in between took its count along; one that is new brought all of it.
verdict "$row" 'wake-ups a second' "$(
  awk -v s="$idle_seconds" '
    NR == FNR { before[$1] = $2; next }
    { sum += $2 - before[$1] }
    END { print sum / s }' "$world/before" "$world/after"
)" 1 1/s
verdict "$row" 'resident memory' "$(resident_mebibytes "$service_id")" 40 MiB
