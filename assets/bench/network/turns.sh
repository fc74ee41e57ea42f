# The programs by turns over one link, and the verdict on Kettle.

# fetch_file NAME PATH: the row is the time in which one file has arrived.
fetch_file() {
  fetch="fetch_one" target="$origin/$2$1" original="$memory/$1"
  take_turns "$all_programs"
}

# fetch_list: the row is the time in which all small files have arrived.
fetch_list() {
  fetch="fetch_many" target="$world/urls" original="$memory/small"
  take_turns "$(echo "$all_programs" | sed 's/ axel//')"
}

take_turns() {
  programs=
  for program in $1; do
    if is_here "$program"; then
      programs="$programs $program"
    else
      note "$row" "$program is not here"
    fi
  done
  note_link "$row" "$link_text"
  kettle_failures=0 order=$programs given_up=
  round=1
  while [ "$round" -le "$runs" ]; do
    for program in $order; do
      case " $given_up " in *" $program "*) continue ;; esac
      take_turn "$program" "$round"
    done
    # Another one is first in the next round. The names are words of their own.
    # shellcheck disable=SC2086
    set -- $order
    first=$1
    shift
    order="$* $first"
    round=$((round + 1))
  done
  judge
}

# take_turn PROGRAM ROUND: in a place of its own; Kettle with a new service that runs already.
take_turn() {
  program=$1
  rm -rf "$world/out"
  mkdir "$world/out"
  [ "$program" != kettle ] || start_service ''
  # All programs of a round meet the same random numbers.
  begin_run "$2"
  outcome=right
  "$fetch" "$program" "$(patience_for "$program")" "$target" || outcome="ended with $?"
  end_run
  [ "$program" != kettle ] || stop_service
  [ "$outcome" != right ] || is_original || outcome='brought something else'
  if [ "$outcome" = right ]; then
    # The numbers are words of their own.
    # shellcheck disable=SC2046
    sample "$row" "$program" $(cat "$world/measured") "$connections" "$seconds_to_data"
    tell_turn "$(wall_seconds) s"
  elif [ "$program" = kettle ]; then
    kettle_failures=$((kettle_failures + 1))
    tell_turn "$outcome: $(tail -n 3 "$world/peer.out")"
  else
    # It is too slow to be the best, or cannot do this.
    given_up="$given_up $program"
    tell_turn "$outcome after $(wall_seconds) s, and is not tried again"
  fi
}

# Of the last run.
wall_seconds() { awk '{ printf "%.2f\n", $1 }' "$world/measured"; }

tell_turn() {
  megabytes=$(awk -v bytes="$bytes_down" 'BEGIN { printf "%.1f", bytes / 1e6 }')
  printf '%-12s %-10s %s, %s connections, %s MB, %s packets dropped, %s lost\n' \
    "$row" "$program" "$1" "$connections" "$megabytes" "$packets_overflowed" "$packets_lost" >&2
}

is_original() {
  if [ -d "$original" ]; then
    diff -rq "$world/out" "$original" >/dev/null
  else
    cmp -s "$world/out/one.bin" "$original"
  fi
}

# patience_for PROGRAM: how many seconds it may take. A peer that takes three times as long as the
# best one so far cannot be the best.
patience_for() {
  [ "$1" != kettle ] || { echo 240; return; }
  awk -v row="$row" '
    $1 == row && (!best || $3 < best) { best = $3 }
    END { print (!best || best > 80) ? 240 : (best < 5 ? 15 : int(best * 3)) }
  ' "$results/samples"
}

# Sets `best` to the peer with the least median.
find_best() {
  best= best_seconds=
  for program in $programs; do
    [ "$program" != kettle ] || continue
    seconds=$(median_of "$row" "$program" 3)
    case " $given_up " in *" $program "*) continue ;; esac
    if [ -z "$best" ] || is_less "$seconds" "$best_seconds"; then
      best=$program best_seconds=$seconds
    fi
  done
  [ -n "$best" ] || fail "no peer fetched the file in the row $row"
}

is_less() { awk -v one="$1" -v other="$2" 'BEGIN { exit !(one < other) }'; }

judge() {
  for program in $programs; do
    [ -n "$(samples_of "$row" "$program" 3)" ] || continue
    middle=$(median_of "$row" "$program" 3 | awk '{ printf "%.2f", $1 }')
    note "$row" "$(command_of "$program"): $middle s ($(spread_of "$row" "$program" 3)), $(
      spread_of "$row" "$program" 6
    ) connections"
  done
  find_best
  if [ "$kettle_failures" -gt 0 ]; then
    verdict "$row" 'runs of Kettle that failed' "$kettle_failures" 0 ''
  fi
  ours=$(median_of "$row" kettle 3)
  [ -n "$(samples_of "$row" kettle 3)" ] || return 0
  verdict "$row" "wall time over $(command_of "$best")'s" \
    "$(awk -v a="$ours" -v b="$best_seconds" 'BEGIN { print a / b }')" 1.05 ratio
}

# most_of ROW PROGRAM FIELD
most_of() { samples_of "$@" | sort -n | tail -n 1; }
