# The rows of one big file: Kettle, its peers and the floor, by turns.

# big_file ROW URL CONNECTIONS PEER BUDGET [OTHER]: PEER is curl or aria2; the budget is a share of
# its CPU time. The floor, and OTHER (wget2 or axel) where it is installed, are measured a few times
# beside them and only noted.
big_file() {
  row=$1 url=$2 connections=$3 peer=$4 budget=$5 other=${6:-}
  : >"$world/fetched"
  keep_apart
  rest_disk
  if [ -n "$other" ] && ! has "$other"; then
    note "$row" "$other is not here"
    other=
  fi
  pair=1
  while [ "$pair" -le "$pairs" ]; do
    seldom=
    [ "$pair" -gt "$few_pairs" ] || seldom="floor $other"
    # Words of their own, or none.
    # shellcheck disable=SC2086
    big_file_pair "$pair" "$peer" $seldom
    pair=$((pair + 1))
  done
  for program in kettle "$peer" floor $other; do
    note_program "$row" "$program"
  done
  over "$peer" 4 "CPU time over $peer's" "$budget"
  note_over floor 4 'CPU time over the floor'
  share_again
  # The same each time, as a rule.
  sort -u "$world/fetched" >"$world/fetched.once"
  while read -r line; do note "$row" "$line"; done <"$world/fetched.once"
}

# big_file_pair NUMBER PEER...: Kettle and the peers. The one that begins changes, so that none always
# finds what the other left.
big_file_pair() {
  number=$1
  shift
  if [ $((number % 2)) -eq 1 ]; then
    order="kettle $*"
  else
    order="$* kettle"
  fi
  for program in $order; do
    big_file_run "$program"
  done
}

big_file_run() {
  forget_sent
  case $1 in
    kettle)
      numbers=$(kettle_get -d "$world/out" -o kettle.bin --connections "$connections" \
        --ca-certificate "$memory/certificate.pem" "$url")
      echo "Kettle fetched $(sent_bytes) bytes of $((mebibytes * 1048576))" >>"$world/fetched"
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
  rest_disk
}
