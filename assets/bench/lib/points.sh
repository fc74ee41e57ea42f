# Points of plots, and those that are missing.

# plot NAME TITLE X-AXIS Y-AXIS: a picture, before its points.
plot() { printf '%s\t%s\t%s\t%s\n' "$@" >>"$results/plots"; }

# point PLOT SERIES X Y
point() {
  printf '%s\t%s\t%s\t%s\n' "$@" >>"$results/points"
  printf '%-18s %-22s at %-12s %s\n' "$@" >&2
}

# missing PLOT SERIES X WHY
missing() {
  printf '%s\t%s\t%s\t%s\n' "$@" >>"$results/missing"
  printf '%-18s %-22s at %-12s not measured: %s\n' "$@" >&2
}

# write_points FILE: one object a line, for plots.awk.
write_points() {
  mkdir -p "$(dirname "$1")"
  touch "$results/missing"
  {
    printf '{\n'
    json_machine
    printf '"plots":[\n'
    json_text <"$results/plots" | awk -F '\t' '{
      printf "%s{\"plot\":\"%s\",\"title\":\"%s\",\"x\":\"%s\",\"y\":\"%s\"}\n",
        (NR > 1 ? "," : ""), $1, $2, $3, $4
    }'
    printf '],"points":[\n'
    json_text <"$results/points" | awk -F '\t' '{
      printf "%s{\"plot\":\"%s\",\"series\":\"%s\",\"x\":%s,\"y\":%s}\n",
        (NR > 1 ? "," : ""), $1, $2, $3, $4
    }'
    printf '],"missing":[\n'
    json_text <"$results/missing" | awk -F '\t' '{
      printf "%s{\"plot\":\"%s\",\"series\":\"%s\",\"x\":%s,\"why\":\"%s\"}\n",
        (NR > 1 ? "," : ""), $1, $2, $3, $4
    }'
    printf ']}\n'
  } >"$1"
}
