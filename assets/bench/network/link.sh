# The emulated link, through the descriptors of link-emulator.

server_address=198.51.100.1

# tell_link WORD...: sets `link_answer`.
tell_link() {
  echo "$*" >&3
  read -r link_answer <&4
  case $link_answer in
    this*) fail "link-emulator does not know \"$*\"" ;;
  esac
}

# emulate MBIT RTT_MS LOSS QUEUE_MS UP_MBIT: a link with a queue of so many milliseconds at its
# rate. Loss is a share of the packets of either direction. The queue upwards holds 200 kB at least.
emulate() {
  link_text="$1 Mbit/s, $2 ms"
  [ "$3" = 0 ] || link_text="$link_text, $(awk -v loss="$3" 'BEGIN { print loss * 100 }') % loss"
  queue=$(awk -v mbit="$1" -v ms="$4" 'BEGIN { printf "%.0f", mbit * 1000 / 8 * ms }')
  delay=$(awk -v rtt="$2" 'BEGIN { print rtt / 2 }')
  tell_link down "$1" "$queue" "$delay" 0 "$3"
  tell_link up "$5" "$((queue > 200000 ? queue : 200000))" "$delay" 0 "$3"
}

# begin_run SEED: counts from zero. The row says whether the link falls silent in the middle.
begin_run() { tell_link begin "$1" "${silence_after_bytes:-0}" "${silence_milliseconds:-0}"; }

# Sets `connections`, `packets_lost` and `seconds_to_data` (after the silence; -1 without one).
end_run() {
  tell_link report
  # The answer is words of their own.
  # shellcheck disable=SC2086
  set -- $link_answer
  connections=$1 bytes_down=$2 packets_overflowed=$4 packets_lost=$5 seconds_to_data=$7
}

at_server() { nsenter --net=/proc/self/fd/5 "$@"; }
