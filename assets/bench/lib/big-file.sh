# The rows of one big file: Kettle, one peer and the floor, by turns.

# big_file ROW URL CONNECTIONS PEER BUDGET; PEER is curl or aria2.
big_file() {
  row=$1 url=$2 connections=$3 peer=$4 budget=$5
  byte_count=$((mebibytes * 1048576))
  pair=1
  while [ "$pair" -le "$pairs" ]; do
    # The one that begins changes, so that none always finds the other's pages in the cache.
    if [ $((pair % 2)) -eq 1 ]; then order="kettle $peer floor"; else order="floor $peer kettle"; fi
    for program in $order; do
      forget_sent
      case $program in
        kettle)
          numbers=$(kettle_run -d "$world/out" -o kettle.bin --connections "$connections" \
            --ca-certificate "$memory/certificate.pem" "$url")
          note "$row" "Kettle fetched $(sent_bytes) bytes of $byte_count"
          ;;
        curl) numbers=$(curl_run "$url") ;;
        aria2) numbers=$(aria2_run "$url" -x "$connections" -s "$connections" -k 1M) ;;
        floor) numbers=$(floor_run "$url" "$byte_count" "$connections") ;;
      esac
      # The numbers are words of their own on purpose.
      # shellcheck disable=SC2086
      sample "$row" "$program" $numbers
      same_file "$world/out/$program.bin" "$memory/${url##*/}"
      rm "$world/out/$program.bin"
    done
    pair=$((pair + 1))
  done
  ours=$(median_of "$row" kettle 4)
  theirs=$(median_of "$row" "$peer" 4)
  least=$(median_of "$row" floor 4)
  for program in kettle "$peer" floor; do
    note "$row" "$program: $(median_of "$row" "$program" 4) s CPU ($(spread_of "$row" "$program" 4)), $(median_of "$row" "$program" 3) s, $(median_of "$row" "$program" 5) KiB at most"
  done
  verdict "$row" "CPU time over $peer's" "$(awk -v a="$ours" -v b="$theirs" 'BEGIN { print a / b }')" \
    "$budget" ratio
  verdict "$row" 'CPU time over the floor' "$(awk -v a="$ours" -v b="$least" 'BEGIN { print a / b }')" \
    1.15 ratio
}
