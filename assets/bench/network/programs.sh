# The programs as their users would call them. Kettle has no option that concerns speed; the peers
# have those that suit them best.

all_programs='kettle aria2-16 aria2-8 axel wget2 curl'

command_of() {
  case $1 in
    kettle) echo kettle ;;
    aria2-16) echo 'aria2c -x16' ;;
    aria2-8) echo 'aria2c -x8' ;;
    *) echo "$1" ;;
  esac
}

is_here() {
  case $1 in
    kettle) : ;;
    aria2-*) has aria2c ;;
    *) has "$1" ;;
  esac
}

# timed SECONDS COMMAND...: what it took is in the file `measured` then. Fails when the command
# does, or takes longer.
timed() {
  MEASURED_RUN_SECONDS=$1
  export MEASURED_RUN_SECONDS
  shift
  "$build/measured-run" "$world/measured" "$@" >"$world/peer.out" 2>&1
}

# fetch_one PROGRAM SECONDS URL: to the file `one.bin` in the directory `out`.
fetch_one() {
  case $1 in
    kettle) timed "$2" "$build/kettle" get --json -d "$world/out" -o one.bin "$3" ;;
    aria2-*)
      timed "$2" aria2c -q --file-allocation=none -d "$world/out" -o one.bin \
        -x "${1#aria2-}" -s "${1#aria2-}" -k 1M "$3"
      ;;
    axel) timed "$2" axel -q -n 8 -o "$world/out/one.bin" "$3" ;;
    wget2) timed "$2" wget2 -q --no-hsts --no-robots -O "$world/out/one.bin" "$3" ;;
    curl) timed "$2" curl -sS -o "$world/out/one.bin" "$3" ;;
  esac
}

# fetch_many PROGRAM SECONDS LIST: into the directory `out`. axel fetches no lists.
fetch_many() {
  case $1 in
    kettle)
      # The words in quotes are for the shell that is started.
      # shellcheck disable=SC2016
      timed "$2" sh -c '"$0" add -d "$1" -i "$2" >"$1.ids" && "$0" wait --all' \
        "$build/kettle" "$world/out" "$3"
      ;;
    aria2-*)
      timed "$2" aria2c -q --file-allocation=none -d "$world/out" -i "$3" \
        -j "${1#aria2-}" -x "${1#aria2-}"
      ;;
    wget2) timed "$2" wget2 -q --no-hsts --no-robots --max-threads=16 -P "$world/out" -i "$3" ;;
    curl)
      sed 's/.*/url = "&"/' "$3" >"$world/curl.config"
      timed "$2" curl -sS --parallel --parallel-max 16 --remote-name-all \
        --output-dir "$world/out" -K "$world/curl.config"
      ;;
  esac
}
