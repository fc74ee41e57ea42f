# A file through a background session of the library, the service's share included, against the
# URLSession that comes with Swift.
row=library
library_mebibytes=1024
[ "$mebibytes" -ge "$library_mebibytes" ] || library_mebibytes=$mebibytes
head -c "$library_mebibytes"M "$memory/big.bin" >"$memory/library.bin"

foundation_run() {
  measured "$build/foundation-download" "$plain/library.bin" "$world/out/foundation.bin"
}

session_run() {
  measured_with_service "$build/session-download" "$plain/library.bin" "$world/out/session.bin"
}

pair=1
while [ "$pair" -le "$few_pairs" ]; do
  if [ $((pair % 2)) -eq 1 ]; then order='session foundation'; else order='foundation session'; fi
  for program in $order; do
    numbers=$("${program}_run")
    # shellcheck disable=SC2086
    sample "$row" "$program" $numbers
    same_file "$world/out/$program.bin" "$memory/library.bin"
    rm "$world/out/$program.bin"
  done
  pair=$((pair + 1))
done
rm "$memory/library.bin"
for program in session foundation; do
  note_program "$row" "$program"
done
verdict "$row" "CPU time over URLSession's" "$(
  awk -v a="$(median_of "$row" session 4)" -v b="$(median_of "$row" foundation 4)" \
    'BEGIN { print a / b }'
)" 0.35 ratio
