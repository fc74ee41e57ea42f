#!/bin/sh
# Builds what a row of the measurements needs, and measures it.
#
#     assets/bench/bench.sh [library | dashboard]...
#
# Without a row it measures all of them. It exits with 1 when one is over its budget.
set -u
[ "$#" -gt 0 ] || set -- library dashboard

release() {
  for product in "$@"; do
    swift build -c release --product "$product" || return 1
  done
}

library() {
  ./assets/install-deps.sh bench &&
    release kettle session-download foundation-download &&
    ./assets/bench/library.sh
}

dashboard() {
  release dashboard-frames && .build/release/dashboard-frames
}

status=0
for row in "$@"; do
  case $row in
    library | dashboard) "$row" || status=1 ;;
    *)
      printf 'bench: there is no row "%s"; the rows are library and dashboard\n' "$row" >&2
      exit 2
      ;;
  esac
done
exit "$status"
