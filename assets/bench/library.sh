#!/bin/sh
# Measures the CPU time of downloading a file through a background session, the service's included,
# against the URLSession that comes with Swift. Both fetch the same file from nginx on the loopback,
# by turns.
#
#     assets/bench/library.sh [PAIRS]
#
# KETTLE_BENCH_MIB is the size of the file in MiB (1024). It exits with 1 when the median of the
# ratios is over the budget, or when a file is not what was served.
set -eu
pairs=${1:-5}
mebibytes=${KETTLE_BENCH_MIB:-1024}
budget=0.35
build=.build/release

PATH=$PATH:/usr/sbin:/sbin
world=$(mktemp -d "${KETTLE_BENCH_DIR:-${TMPDIR:-/tmp}}/kettle-bench-XXXXXX")
export HOME="$world" XDG_RUNTIME_DIR="$world/run" XDG_STATE_HOME="$world/state"
export XDG_CONFIG_HOME="$world/config" KETTLE_EXECUTABLE="$PWD/$build/kettle"
# The temporary file of Swift's own session has to be on the same disk as its target.
export TMPDIR="$world/temporary"
nginx_id=
finish() {
  "$build/kettle" daemon stop >/dev/null 2>&1 || :
  [ -z "$nginx_id" ] || kill "$nginx_id" 2>/dev/null || :
  rm -rf "$world"
}
trap finish EXIT
trap 'exit 130' INT TERM

fail() {
  printf 'bench: %s\n' "$*" >&2
  exit 1
}

mkdir -m 700 "$world/run" "$world/temporary" "$world/root" "$world/out"
for program in kettle session-download foundation-download; do
  [ -x "$build/$program" ] || fail "\"$build/$program\" is missing; make bench builds it"
done
command -v nginx >/dev/null || fail 'nginx is missing; assets/install-deps.sh bench installs it'

# --- The origin ---------------------------------------------------------------------------------

head -c "$mebibytes"M /dev/urandom >"$world/root/file.bin"
expected=$(sha256sum <"$world/root/file.bin")

serve() {
  cat >"$world/nginx.conf" <<END
daemon off;
worker_processes 1;
pid $world/nginx.pid;
error_log $world/nginx.log;
events {}
http {
  access_log off;
  sendfile on;
  client_body_temp_path $world/nginx-body;
  proxy_temp_path $world/nginx-proxy;
  fastcgi_temp_path $world/nginx-fastcgi;
  uwsgi_temp_path $world/nginx-uwsgi;
  scgi_temp_path $world/nginx-scgi;
  server { listen 127.0.0.1:$1; root $world/root; }
}
END
  # A worker of root's nginx would be another user, who may not look into our directory.
  [ "$(id -u)" -ne 0 ] || sed -i '1i user root;' "$world/nginx.conf"
  nginx -e "$world/nginx.log" -c "$world/nginx.conf" 2>>"$world/nginx.log" &
  nginx_id=$!
}

# A port is free when nginx could bind it: it writes its process id then, and ends when not.
port=$((20000 + $$ % 20000))
while :; do
  serve "$port"
  while [ ! -s "$world/nginx.pid" ] && kill -0 "$nginx_id" 2>/dev/null; do sleep 0.05; done
  [ ! -s "$world/nginx.pid" ] || break
  grep -q 'Address already in use' "$world/nginx.log" || fail "nginx: $(cat "$world/nginx.log")"
  : >"$world/nginx.log"
  port=$((port + 1))
done
url="http://127.0.0.1:$port/file.bin"

# --- What is measured ---------------------------------------------------------------------------

# User and system time of a process that runs, in clock ticks (proc_pid_stat(5), fields 14 and 15).
# The name in field 2 may have spaces, so that counting begins behind its bracket.
ticks_of() { sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'; }
ticks_per_second=$(getconf CLK_TCK)

# CPU seconds of a program that has run to its end: `times` of a shell that ran nothing else.
cpu_of() {
  sh -c '"$@" >/dev/null && times' sh "$@" | awk '
    NR == 2 {
      for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += part[1] * 60 + part[2] }
      print sum
    }'
}

check() {
  [ "$(sha256sum <"$1")" = "$expected" ] || fail "\"$1\" is not the file that was served"
}

foundation() {
  program=$(cpu_of "$build/foundation-download" "$url" "$world/out/foundation.bin")
  [ -n "$program" ] || fail "foundation-download failed"
  echo "$program"
}

session() {
  before=$(ticks_of "$service_id")
  program=$(cpu_of "$build/session-download" "$url" "$world/out/session.bin")
  [ -n "$program" ] || fail "session-download failed"
  after=$(ticks_of "$service_id")
  echo "$program $before $after" | awk -v hz="$ticks_per_second" '{ print $1 + ($3 - $2) / hz }'
}

"$build/kettle" daemon start >/dev/null || fail 'the service does not start'
service_id=$("$build/kettle" daemon status --json | sed -n 's/.*"processID" *: *\([0-9]*\).*/\1/p')
[ -n "$service_id" ] || fail 'the service does not say its process id'

printf 'CPU seconds for %s MiB, service and program together\n\n' "$mebibytes"
printf '%4s  %12s  %12s  %6s\n' pair URLSession background ratio
pair=1
while [ "$pair" -le "$pairs" ]; do
  # The one that begins changes, so that neither always finds the other's pages in the cache.
  if [ $((pair % 2)) -eq 1 ]; then
    theirs=$(foundation)
    ours=$(session)
  else
    ours=$(session)
    theirs=$(foundation)
  fi
  if [ "$pair" -eq 1 ]; then
    check "$world/out/foundation.bin"
    check "$world/out/session.bin"
  fi
  for file in foundation session; do
    [ "$(stat -c %s "$world/out/$file.bin")" -eq $((mebibytes * 1048576)) ] ||
      fail "the file of pair $pair from $file has another length"
    rm "$world/out/$file.bin"
  done
  echo "$theirs $ours" | awk '{ print $1, $2, $2 / $1 }' >>"$world/pairs"
  tail -n 1 "$world/pairs" | awk -v n="$pair" '{ printf "%4d  %12.2f  %12.2f  %6.3f\n", n, $1, $2, $3 }'
  pair=$((pair + 1))
done

median() {
  cut -d ' ' -f "$1" "$world/pairs" | sort -n | awk '
    { value[NR] = $1 }
    END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'
}
ratio=$(median 3)
printf '%4s  %12.2f  %12.2f  %6.3f\n\n' mid "$(median 1)" "$(median 2)" "$ratio"
if awk -v ratio="$ratio" -v budget="$budget" 'BEGIN { exit !(ratio <= budget) }'; then
  printf 'bench: within the budget of %s\n' "$budget"
else
  fail "over the budget of $budget"
fi
