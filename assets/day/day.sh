#!/bin/sh
# A whole day's work at the real dashboard, in tmux, over the origin of the demo, in a throw-away
# home: each step waits for what it must show, and its screen is kept with its colors.
#
#   assets/day/day.sh PROGRAM DIRECTORY [morning]
#
# With the word "morning" it stops there, which takes a few seconds.
# Ends with 0 when every step showed what it had to.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
# Short, because the path of a socket must be.
home=$(mktemp -d /tmp/kettle-day-XXXXXX)
. "$here/terminal.sh"

clean_up() {
  tm kill-server 2>/dev/null || true
  in_home "$program" daemon stop >/dev/null 2>&1 || true
  rm -rf "$home"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
rm -f "$out"/*.screen "$out"/*.txt
mkdir -m 700 "$home/run"

# The service, with files to fetch; it says where.
in_home "$program" demo-service >"$home/service.log" 2>&1 &
step_name=start
deadline=$(($(date +%s) + budget_seconds))
until [ -s "$home/catalogue.json" ]; do
  [ "$(date +%s)" -le "$deadline" ] || { cat "$home/service.log" >&2; exit 1; }
  sleep 0.1
done
origin=$(sed -n 's/.*"origin" *: *"\([^"]*\)".*/\1/p' "$home/catalogue.json" | sed 's,\\/,/,g')
# Five of them, which come by themselves.
url() { # number
  case $1 in
    1) file=kettle-in-ten-minutes ;;
    2) file=background-transfers-explained ;;
    3) file=resuming-without-regret ;;
    4) file=the-terminal-dashboard-handbook ;;
    5) file=networking-on-linux-the-long-way ;;
  esac
  printf '%s/%s.pdf' "$origin" "$file"
}

. "$here/morning.sh"
[ "${3:-}" = morning ] || . "$here/afternoon.sh"

begin 'leave'
keys q
see 'ended with 0'
keep left

printf 'day: done, %d screens in %s\n' "$step_count" "$out"
