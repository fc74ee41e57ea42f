# What was measured in one run: samples, lines of the table, and notes, each in a file of `results`.

begin_results() {
  results=$world/results-$1
  mkdir "$results"
  : >"$results/samples"
  : >"$results/verdicts"
  : >"$results/notes"
}

# sample ROW PROGRAM WALL CPU PEAK: one run.
sample() { echo "$@" >>"$results/samples"; }

# samples_of ROW PROGRAM FIELD: 3 wall seconds, 4 CPU seconds, 5 peak KiB.
samples_of() { awk -v r="$1" -v p="$2" -v f="$3" '$1 == r && $2 == p { print $f }' "$results/samples"; }
median_of() { samples_of "$@" | median; }
spread_of() { samples_of "$@" | spread; }

# verdict ROW WHAT VALUE BUDGET UNIT [least]: a line of the table. The value has to be at most the
# budget, or at least with that word.
verdict() {
  awk -v row="$1" -v what="$2" -v value="$3" -v budget="$4" -v unit="$5" -v bound="${6:-most}" '
    BEGIN {
      within = (bound == "least" ? value + 0 >= budget + 0 : value + 0 <= budget + 0)
      # As many digits as tell it from the budget.
      shown = sprintf((value >= 1000 ? "%.0f" : value >= 100 ? "%.1f" : "%.3f"), value)
      printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row, what, shown, budget, unit, bound,
        (within ? "within" : "OVER")
    }' >>"$results/verdicts"
  tail -n 1 "$results/verdicts" | table_lines >&2
}

# over PROGRAM FIELD WHAT BUDGET: the verdict on Kettle's samples over those of a program: the median
# of the ratios of the pairs. Two runs of one pair have the same neighbours on the machine, which
# those of another have not.
over() {
  note_over "$1" "$2" "$3"
  verdict "$row" "$3" "$(median <"$world/ratios")" "$4" ratio
}

# note_over PROGRAM FIELD WHAT: the same without a budget.
note_over() {
  samples_of "$row" kettle "$2" >"$world/ours"
  samples_of "$row" "$1" "$2" | paste "$world/ours" - |
    awk 'NF == 2 { print $1 / $2 }' >"$world/ratios"
  note "$row" \
    "$3: $(median <"$world/ratios") ($(spread <"$world/ratios")) in $(wc -l <"$world/ratios") pairs"
}

# note ROW TEXT: something to know about a row, without a budget.
note() {
  printf '%s\t%s\n' "$1" "$2" >>"$results/notes"
  printf '%-12s %s\n' "$1" "$2" >&2
}

# note_program ROW PROGRAM: what its runs took.
note_program() {
  note "$1" "$2: $(median_of "$1" "$2" 4) s CPU ($(spread_of "$1" "$2" 4)), $(median_of "$1" "$2" 3) s ($(spread_of "$1" "$2" 3)), $(median_of "$1" "$2" 5) KiB at most"
}

table_lines() {
  awk -F '\t' '{
    printf "%-12s %-44s %10s %-6s %s %-8s %s\n", $1, $2, $3, $5, ($6 == "least" ? ">=" : "<="), $4, $7
  }'
}

print_table() {
  echo
  printf '%-12s %-44s %10s %-6s %s\n' row what measured '' budget
  table_lines <"$results/verdicts"
}

is_over() { grep -q 'OVER$' "$results/verdicts"; }

# What several runs say of the same.
print_runs() {
  echo
  printf '%-12s %-44s %-6s %s\n' row what '' 'each run'
  awk -F '\t' '
    !(($1, $2) in values) { line[++count] = $1 SUBSEP $2; unit[$1, $2] = $5 }
    { values[$1, $2] = values[$1, $2] sprintf(" %10s%s", $3, $7 == "OVER" ? "!" : " ") }
    END {
      for (i = 1; i <= count; i++) {
        split(line[i], part, SUBSEP)
        printf "%-12s %-44s %-6s%s\n", part[1], part[2], unit[line[i]], values[line[i]]
      }
    }' "$world"/results-*/verdicts
}

# write_json FILE: all runs. One object a line, so that awk can read it.
write_json() {
  mkdir -p "$(dirname "$1")"
  {
    printf '{\n'
    json_machine
    printf '"settings":{"pairs":%d,"fewPairs":%d,"mebibytes":%d,"many":%d},\n"runs":[\n' \
      "$pairs" "$few_pairs" "$mebibytes" "$many"
    separator=
    for results in "$world"/results-*; do
      printf '%s' "$separator"
      separator=,
      json_run
    done
    printf ']}\n'
  } >"$1"
}

json_run() {
  printf '{"rows":[\n'
  json_text <"$results/verdicts" | awk -F '\t' '{
    printf "%s{\"row\":\"%s\",\"what\":\"%s\",\"value\":%s,\"bound\":\"%s\",\"budget\":%s,\"unit\":\"%s\",\"within\":%s}\n",
      (NR > 1 ? "," : ""), $1, $2, $3, $6, $4, $5, ($7 == "within" ? "true" : "false")
  }'
  printf '],"samples":[\n'
  awk '{
    printf "%s{\"row\":\"%s\",\"program\":\"%s\",\"wallSeconds\":%s,\"cpuSeconds\":%s,\"peakKiB\":%s}\n",
      (NR > 1 ? "," : ""), $1, $2, $3, $4, $5
  }' "$results/samples"
  printf '],"notes":[\n'
  json_text <"$results/notes" | awk -F '\t' '{
    printf "%s{\"row\":\"%s\",\"text\":\"%s\"}\n", (NR > 1 ? "," : ""), $1, $2
  }'
  printf ']}\n'
}
