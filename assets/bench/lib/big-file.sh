# The rows of one big file: Kettle, its peers and the floor, by turns.

# big_file ROW URL CONNECTIONS PEER BUDGET [OTHER]: PEER is curl or aria2; the budget is a share of
# its CPU time. OTHER is wget2 or axel, measured beside them where it is installed.
big_file() {
  row=$1 url=$2 connections=$3 peer=$4 budget=$5 other=${6:-}
  if [ -n "$other" ] && ! has "$other"; then
    note "$row" "$other is not here"
    other=
  fi
  pair=1
  while [ "$pair" -le "$pairs" ]; do
    # The one that begins changes, so that none always finds the other's pages in the cache.
    if [ $((pair % 2)) -eq 1 ]; then
      order="kettle $peer floor $other"
    else
      order="$other floor $peer kettle"
    fi
    for program in $order; do
      big_file_run "$program"
    done
    pair=$((pair + 1))
  done
  for program in kettle "$peer" floor $other; do
    note_program "$row" "$program"
  done
  ours=$(median_of "$row" kettle 4)
  theirs=$(median_of "$row" "$peer" 4)
  least=$(median_of "$row" floor 4)
  verdict "$row" "CPU time over $peer's" "$(awk -v a="$ours" -v b="$theirs" 'BEGIN { print a / b }')" \
    "$budget" ratio
  verdict "$row" 'CPU time over the floor' "$(awk -v a="$ours" -v b="$least" 'BEGIN { print a / b }')" \
    1.15 ratio
}

big_file_run() {
  forget_sent
  case $1 in
    kettle)
      numbers=$(kettle_get -d "$world/out" -o kettle.bin --connections "$connections" \
        --ca-certificate "$memory/certificate.pem" "$url")
      note "$row" "Kettle fetched $(sent_bytes) bytes of $((mebibytes * 1048576))"
      ;;
    curl) numbers=$(curl_run "$url") ;;
    wget2) numbers=$(wget2_run "$url") ;;
    aria2) numbers=$(aria2_run "$url" -x "$connections" -s "$connections" -k 1M) ;;
    axel) numbers=$(axel_run "$url" "$connections") ;;
    floor) numbers=$(floor_run "$url" "$((mebibytes * 1048576))" "$connections") ;;
  esac
  # The numbers are words of their own on purpose.
  # shellcheck disable=SC2086
  sample "$row" "$1" $numbers
  same_file "$world/out/$1.bin" "$memory/${url##*/}"
  rm "$world/out/$1.bin"
}
