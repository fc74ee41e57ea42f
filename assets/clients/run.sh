#!/bin/sh
# Runs real clients against the program that was built: aria2p, aioaria2, pyaria2, yt-dlp with
# kettle-aria2c, and, in a headless Chromium, the WebExtension, and AriaNg's page if ARIANG names its
# folder.
#
#     assets/clients/run.sh [CLIENT...]
#
#     ARIANG     the folder with AriaNg's index.html; without it that client is skipped
#     PICTURES   where pictures of the pages go
set -eu
cd "$(dirname "$0")/../.."
swift build -debug-info-format none --product kettle
program=$PWD/.build/debug/kettle
place=$PWD/.build/clients
# The versions that were examined; a newer one must not break the tests of an older Kettle.
packages='aria2p==0.12.3 aioaria2==1.3.7 pyaria2==0.1.1 websocket-client==1.9.2 loguru==0.7.3 yt-dlp'
if [ "$(cat "$place/packages" 2>/dev/null)" != "$packages" ]; then
  rm -rf "$place"
  python3 -m venv "$place"
  # The names are words of their own on purpose.
  # shellcheck disable=SC2086
  "$place/bin/pip" install --quiet --disable-pip-version-check $packages
  printf '%s\n' "$packages" > "$place/packages"
fi
for client in ${*:-aria2p aioaria2 pyaria2 ytdlp webextension ariang}; do
  echo "$client"
  "$place/bin/python" "assets/clients/${client}_client.py" "$program"
done
