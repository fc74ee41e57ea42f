# The peers as their users would call them for the same work, at their best.

say_versions() {
  say "bench: $("$build/kettle" --version)"
  say "bench: $(curl --version | head -n 1 | cut -d ' ' -f 1-3)"
  for peer in aria2c wget2 axel nginx; do
    case $peer in
      aria2c) version=$(aria2c --version 2>/dev/null | head -n 1) ;;
      wget2) version=$(wget2 --version 2>/dev/null | head -n 1) ;;
      axel) version=$(axel --version 2>/dev/null | head -n 1) ;;
      nginx) version=$(nginx -v 2>&1) ;;
    esac
    say "bench: ${version:-$peer is not here}"
  done
}

curl_run() { measured curl -sS -k -o "$world/out/curl.bin" "$1"; }

# No preallocation: that is the cheapest for it.
aria2_run() {
  url=$1
  shift
  measured aria2c -q --check-certificate=false --file-allocation=none --allow-overwrite=true \
    -d "$world/out" -o aria2.bin "$@" "$url"
}

floor_run() {
  measured "$build/kettle-floor" "$1" "$world/out/floor.bin" "$2" "$3"
}
