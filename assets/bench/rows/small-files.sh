# Many small files, each durable when it counts as finished.
row=small-files
awk -v base="$plain/small/f" -v count="$small_count" 'BEGIN {
  for (i = 0; i < count; i++) printf "%s%04d\n", base, i
}' >"$world/urls"
pair=1
while [ "$pair" -le "$pairs" ]; do
  if [ $((pair % 2)) -eq 1 ]; then order='kettle aria2'; else order='aria2 kettle'; fi
  for program in $order; do
    # A place of its own for each run, and nothing is deleted before the last one: ext4 without a
    # journal looks for a new file's inode among all that were deleted in the last minutes, one by
    # one, which is a fifth of either program's time and not theirs.
    place=$world/out/$program-$pair
    mkdir "$place"
    rest_disk
    case $program in
      kettle) numbers=$(kettle_run -d "$place" -i "$world/urls") ;;
      aria2)
        numbers=$(measured aria2c -q -j16 --file-allocation=none -d "$place" -i "$world/urls")
        ;;
    esac
    # shellcheck disable=SC2086
    sample "$row" "$program" $numbers
    diff -rq "$place" "$memory/small" >/dev/null ||
      fail "the files of $program are not those that were served"
    [ "$program" = aria2 ] || "$build/kettle" remove --all >/dev/null
  done
  pair=$((pair + 1))
done
for program in kettle aria2; do
  note_program "$row" "$program"
done
over aria2 3 "wall time over aria2's" 0.60
