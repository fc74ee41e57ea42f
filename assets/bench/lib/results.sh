# What was measured: samples in one file, and one line a row for the table.

# sample ROW PROGRAM WALL CPU PEAK: one run.
sample() { echo "$@" >>"$world/results/samples"; }

# samples_of ROW PROGRAM FIELD: 3 wall seconds, 4 CPU seconds, 5 peak KiB.
samples_of() { awk -v r="$1" -v p="$2" -v f="$3" '$1 == r && $2 == p { print $f }' "$world/results/samples"; }
median_of() { samples_of "$@" | median; }
spread_of() {
  samples_of "$@" | sort -n | awk '
    NR == 1 { least = $1 }
    { most = $1 }
    END { printf "%.3g-%.3g", least, most }'
}

# verdict ROW WHAT VALUE BUDGET UNIT: a line of the table; the value has to be at most the budget.
verdict() {
  awk -v row="$1" -v what="$2" -v value="$3" -v budget="$4" -v unit="$5" 'BEGIN {
    printf "%s\t%s\t%.3f\t%s\t%s\t%s\n", row, what, value, budget, unit,
      (value <= budget ? "within" : "OVER")
  }' >>"$world/results/verdicts"
  tail -n 1 "$world/results/verdicts" | awk -F '\t' '{
    printf "%-12s %-44s %9s %-6s budget %-7s %s\n", $1, $2, $3, $5, $4, $6
  }' >&2
}

# note ROW TEXT: something to know about a row, without a budget.
note() {
  printf '%s\t%s\n' "$1" "$2" >>"$world/results/notes"
  printf '%-12s %s\n' "$1" "$2" >&2
}

print_table() {
  echo
  printf '%-12s %-44s %9s %-6s %8s  %s\n' row what measured '' budget ''
  awk -F '\t' '{ printf "%-12s %-44s %9s %-6s %8s  %s\n", $1, $2, $3, $5, $4, $6 }' \
    "$world/results/verdicts"
  if grep -q 'OVER$' "$world/results/verdicts"; then
    fail 'over the budget'
  fi
}

write_json() {
  mkdir -p "$(dirname "$1")"
  {
    printf '{"rows":['
    awk -F '\t' '{
      printf "%s{\"row\":\"%s\",\"what\":\"%s\",\"value\":%s,\"budget\":%s,\"unit\":\"%s\",\"within\":%s}",
        (NR > 1 ? "," : ""), $1, $2, $3, $4, $5, ($6 == "within" ? "true" : "false")
    }' "$world/results/verdicts"
    printf '],"samples":['
    [ ! -e "$world/results/samples" ] || awk '{
      printf "%s{\"row\":\"%s\",\"program\":\"%s\",\"wallSeconds\":%s,\"cpuSeconds\":%s,\"peakKiB\":%s}",
        (NR > 1 ? "," : ""), $1, $2, $3, $4, $5
    }' "$world/results/samples"
    printf ']}\n'
  } >"$1"
}
