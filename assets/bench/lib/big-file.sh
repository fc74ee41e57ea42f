# The rows of one big file: Kettle, its peers and the floor, by turns.
#
# Each comes twice in a run, at its beginning and at its end. The distance to the floor is a fine
# measure, and what else the machine does comes and goes by the minute. The second time has twice as
# many pairs as the first, or what of them a slow machine has time for.

# big_file ROW URL CONNECTIONS PEER BUDGET [OTHER]: PEER is curl or aria2; the budget is a share of
# its CPU time. OTHER is wget2 or axel, measured a few times beside them where it is installed.
big_file() {
  row=$1 url=$2 connections=$3 peer=$4 budget=$5 other=${6:-}
  : >"$world/fetched"
  keep_apart
  rest_disk
  case $part in
    beginning) big_file_beside_peers ;;
    end) big_file_beside_the_floor ;;
  esac
  share_again
  # The same each time, as a rule.
  sort -u "$world/fetched" >"$world/fetched.once"
  while read -r line; do note "$row" "$line"; done <"$world/fetched.once"
}

big_file_beside_peers() {
  if [ -n "$other" ] && ! has "$other"; then
    note "$row" "$other is not here"
    other=
  fi
  pair=1
  while [ "$pair" -le "$pairs" ]; do
    seldom=
    [ "$pair" -gt "$few_pairs" ] || seldom=$other
    # It is one word or none.
    # shellcheck disable=SC2086
    big_file_pair "$pair" "$peer" $seldom
    pair=$((pair + 1))
  done
  for program in kettle "$peer" $other; do
    note_program "$row" "$program"
  done
  over "$peer" 4 "CPU time over $peer's" "$budget"
}

big_file_beside_the_floor() {
  pair=1
  while [ "$pair" -le $((pairs * 2)) ] && [ "$(date +%s)" -lt "$row_until" ]; do
    big_file_pair "$pair"
    pair=$((pair + 1))
  done
  note_program "$row" kettle
  note_program "$row" floor
  over floor 4 'CPU time over the floor' 1.15
}

# big_file_pair NUMBER [PEER...]: Kettle, the floor and the peers. The one that begins changes, so
# that none always finds what the other left.
big_file_pair() {
  number=$1
  shift
  if [ $((number % 2)) -eq 1 ]; then
    order="kettle floor $*"
  else
    order="$* floor kettle"
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
