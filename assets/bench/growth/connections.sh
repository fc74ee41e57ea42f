# One file over 1, 8 and 64 connections, from an origin that gives each 32 MiB a second: one that
# gives one connection all it can would not be asked over more.
url=$plain/middling/big.bin
plot connections-cpu "CPU time of a download" connections 'seconds of CPU time a GiB'
plot connections-memory 'Peak memory of a download' connections 'MiB at most'

# A peer that fails has said so and leaves no sample; axel does it now and then at 64 connections.
connections_run() {
  case $1 in
    kettle) numbers=$(kettle_get -d "$world/out" -o kettle.bin --connections "$2" "$url") ;;
    aria2) numbers=$(aria2_run "$url" -x "$2" -s "$2" -k 1M) || numbers= ;;
    axel) numbers=$(axel_run "$url" "$2") || numbers= ;;
  esac
  if [ -z "$numbers" ]; then
    rm -f "$world/out/$1.bin"*
    return 0
  fi
  # shellcheck disable=SC2086
  sample "connections-$2" "$1" $numbers
  same_file "$world/out/$1.bin" "$memory/big.bin"
  rm "$world/out/$1.bin"
}

# connections_point PROGRAM SERIES CONNECTIONS
connections_point() {
  if [ -z "$(samples_of "connections-$3" "$1" 4)" ]; then
    for plot in connections-cpu connections-memory; do
      missing "$plot" "$2" "$3" 'it failed'
    done
    return 0
  fi
  point connections-cpu "$2" "$3" "$(median_of "connections-$3" "$1" 4 |
    awk -v size="$mebibytes" '{ print $1 * 1024 / size }')"
  point connections-memory "$2" "$3" "$(median_of "connections-$3" "$1" 5 | awk '{ print $1 / 1024 }')"
}

for connections in 1 8 64; do
  programs='kettle aria2 axel'
  if [ "$connections" -gt 16 ]; then
    programs='kettle axel'
    for plot in connections-cpu connections-memory; do
      missing "$plot" aria2c "$connections" 'it opens 16 to a server at most'
    done
  fi
  if ! has axel; then
    programs=${programs% axel}
    for plot in connections-cpu connections-memory; do
      missing "$plot" axel "$connections" 'it is not here'
    done
  fi
  # One connection takes long, and nothing about it is left to chance.
  rounds=$few_pairs
  [ "$connections" -gt 1 ] || rounds=1
  # Each number of connections finds a service that has seen no other.
  start_service '[limits]' 'connections-per-host = 64' 'connections = 64'
  round=1
  while [ "$round" -le "$rounds" ]; do
    for program in $programs; do connections_run "$program" "$connections"; done
    round=$((round + 1))
  done
  leave_service
  for program in $programs; do
    case $program in
      kettle) connections_point kettle Kettle "$connections" ;;
      aria2) connections_point aria2 aria2c "$connections" ;;
      axel) connections_point axel axel "$connections" ;;
    esac
  done
done
