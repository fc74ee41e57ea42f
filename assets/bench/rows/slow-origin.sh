# An origin that gives each connection 4 MiB a second, over eight connections.
row=slow-origin
ideal=$(awk -v size="$slow_mebibytes" 'BEGIN { print size / (8 * 4) }')
pair=1
while [ "$pair" -le "$few_pairs" ]; do
  if [ $((pair % 2)) -eq 1 ]; then order='kettle aria2'; else order='aria2 kettle'; fi
  for program in $order; do
    case $program in
      kettle)
        numbers=$(kettle_get -d "$world/out" -o kettle.bin --connections 8 "$plain/slow.bin")
        ;;
      aria2) numbers=$(aria2_run "$plain/slow.bin" -x 8 -s 8 -k 1M) ;;
    esac
    # shellcheck disable=SC2086
    sample "$row" "$program" $numbers
    same_file "$world/out/$program.bin" "$memory/slow.bin"
    rm "$world/out/$program.bin"
  done
  pair=$((pair + 1))
done
ours=$(median_of "$row" kettle 3)
theirs=$(median_of "$row" aria2 3)
note "$row" "kettle $ours s, aria2 $theirs s, ideal $ideal s"
verdict "$row" 'wall time over the ideal' "$(awk -v a="$ours" -v b="$ideal" 'BEGIN { print a / b }')" \
  1.10 ratio
verdict "$row" "wall time over aria2's" "$(awk -v a="$ours" -v b="$theirs" 'BEGIN { print a / b }')" \
  1.05 ratio
