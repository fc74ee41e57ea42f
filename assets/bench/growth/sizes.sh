# Files of 32 KiB to 10 GiB, over one connection each: what a GiB of them costs.
plot size-cpu 'CPU time by the size of files' 'bytes a file' 'seconds of CPU time a GiB'
plot size-memory 'Peak memory by the size of files' 'bytes a file' 'MiB at most'

# size_run PROGRAM: all of "$world/list" by one program, each file compared.
size_run() {
  mkdir "$world/out/$1"
  case $1 in
    kettle) numbers=$(kettle_run -d "$world/out/kettle" --connections 1 -i "$world/list") ;;
    aria2)
      numbers=$(measured aria2c -q -j16 -x1 -s1 --file-allocation=none -d "$world/out/aria2" \
        -i "$world/list")
      ;;
  esac
  # shellcheck disable=SC2086
  sample "size-$size" "$1" $numbers
  for file in "$world/out/$1"/*; do same_file "$file" "$served"; done
  found=$(find "$world/out/$1" -type f | wc -l)
  [ "$found" -eq "$count" ] || fail "$1 has $found of $count files"
  rm -r "$world/out/$1"
}

# size_point NAME BYTES COUNT ROUNDS
size_point() {
  size=$1 count=$3
  seq -f "$plain/size/$1/%g.bin" "$3" >"$world/list"
  # Peak memory is that of this size.
  start_service ''
  round=1
  while [ "$round" -le "$4" ]; do
    for program in kettle aria2; do size_run "$program"; done
    "$build/kettle" remove --all >/dev/null
    round=$((round + 1))
  done
  leave_service
  for series in kettle:Kettle aria2:aria2c; do
    program=${series%:*}
    point size-cpu "${series#*:}" "$2" "$(median_of "size-$1" "$program" 4 |
      awk -v bytes="$2" -v count="$3" '{ print $1 * 1073741824 / bytes / count }')"
    point size-memory "${series#*:}" "$2" "$(median_of "size-$1" "$program" 5 | awk '{ print $1 / 1024 }')"
  done
}

# Mostly holes, which take no space, and a number at each 16 MiB, which shows what is misplaced.
make_largest() {
  : >"$served"
  at=0
  while [ "$at" -lt "$largest_mebibytes" ]; do
    truncate -s "${at}M" "$served"
    printf 'this is MiB %d' "$at" >>"$served"
    at=$((at + 16))
  done
  truncate -s "${largest_mebibytes}M" "$served"
}

for step in 32K:32768:2000 1M:1048576:512 100M:104857600:10; do
  name=${step%%:*}
  served=$memory/size-$name.bin
  head -c "$name" "$memory/big.bin" >"$served"
  step=${step#*:}
  size_point "$name" "${step%:*}" "${step#*:}" "$few_pairs"
  rm "$served"
done
largest_bytes=$((largest_mebibytes * 1048576))
needed=$((largest_mebibytes * 2 + 1024))
if [ "$(free_mebibytes "$world")" -ge "$needed" ]; then
  served=$world/size-largest.bin
  make_largest
  size_point largest "$largest_bytes" 1 1
  rm "$served"
else
  for plot in size-cpu size-memory; do
    for series in Kettle aria2c; do
      missing "$plot" "$series" "$largest_bytes" "it needs $needed MiB of free space"
    done
  done
fi
