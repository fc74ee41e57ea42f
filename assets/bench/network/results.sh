# The results as JSON, one object a line.

# note_link ROW TEXT: what the documentation says of the link.
note_link() { printf '%s\t%s\n' "$1" "$2" >>"$results/links"; }

write_network_json() {
  mkdir -p "$(dirname "$1")"
  touch "$results/links"
  {
    printf '{\n'
    json_machine
    printf '"settings":{"runs":%d},\n"links":[\n' "$runs"
    json_text <"$results/links" | awk -F '\t' '{
      printf "%s{\"row\":\"%s\",\"link\":\"%s\"}\n", (NR > 1 ? "," : ""), $1, $2
    }'
    printf '],"verdicts":[\n'
    json_text <"$results/verdicts" | awk -F '\t' '{
      printf "%s{\"row\":\"%s\",\"what\":\"%s\",\"value\":%s,\"budget\":%s,\"unit\":\"%s\",\"within\":%s}\n",
        (NR > 1 ? "," : ""), $1, $2, $3, $4, $5, ($7 == "within" ? "true" : "false")
    }'
    printf '],"samples":[\n'
    awk '{
      printf "%s{\"row\":\"%s\",\"program\":\"%s\",\"wallSeconds\":%s,\"cpuSeconds\":%s,\"connections\":%s,\"secondsToData\":%s}\n",
        (NR > 1 ? "," : ""), $1, $2, $3, $4, $6, $7
    }' "$results/samples"
    printf '],"notes":[\n'
    json_text <"$results/notes" | awk -F '\t' '{
      printf "%s{\"row\":\"%s\",\"text\":\"%s\"}\n", (NR > 1 ? "," : ""), $1, $2
    }'
    printf ']}\n'
  } >"$1"
}
