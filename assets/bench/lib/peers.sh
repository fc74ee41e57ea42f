# The peers as their users would call them for the same work, at their best.

peer_id=

has() { command -v "$1" >/dev/null 2>&1; }

# A peer that runs in the background.
stop_peer() {
  [ -n "$peer_id" ] || return 0
  kill "$peer_id" 2>/dev/null || :
  wait "$peer_id" 2>/dev/null || :
  peer_id=
}

curl_run() { measured curl -sS -k -o "$world/out/curl.bin" "$1"; }

wget2_run() {
  measured wget2 -q --no-hsts --no-check-certificate --no-robots -O "$world/out/wget2.bin" "$1"
}

# No preallocation: that is the cheapest for it.
aria2_run() {
  url=$1
  shift
  measured aria2c -q --check-certificate=false --file-allocation=none --allow-overwrite=true \
    -d "$world/out" -o aria2.bin "$@" "$url"
}

# axel_run URL CONNECTIONS
axel_run() { measured axel -q -k -n "$2" -o "$world/out/axel.bin" "$1"; }

floor_run() {
  measured "$build/kettle-floor" "$1" "$world/out/floor.bin" "$2" "$3"
}
