#!/bin/bash
# test-update.sh PROGRAM [REVISION]
# Builds the program of an earlier revision (the parent of this commit, or REVISION) as version 0.0.9, and
# updates from it to PROGRAM: beside a download, when nothing is being downloaded, and back again.
set -euo pipefail
program=$(realpath "$1")
top=$(cd "$(dirname "$0")/../.." && pwd)
revision=$(git -C "$top" rev-parse --verify "${2:-HEAD~1}^{commit}")
place=$top/.build/previous
work=$(mktemp -d)
say() { printf 'test-update: %s\n' "$*"; }
fail() { printf 'test-update: FAILED: %s\n' "$*" >&2; exit 1; }

# The folder stays, so that the next build is a short one.
if [ ! -d "$place/.git" ]; then git clone -q "$top" "$place"; fi
git -C "$place" fetch -q "$top" "$revision"
git -C "$place" checkout -q --force FETCH_HEAD
sed -i 's/static let text = "[^"]*"/static let text = "0.0.9"/' \
  "$place/Sources/KettleControl/ProtocolVersion.swift"
(cd "$place" && swift build --product kettle -debug-info-format none --disable-index-store \
  -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2 > "$work/build.log" 2>&1) ||
  { tail -20 "$work/build.log"; fail 'the earlier revision cannot be built'; }
old=$place/.build/debug/kettle
[ "$("$old" --version)" = 'kettle 0.0.9' ] || fail "the earlier program is $("$old" --version)"

export HOME=$work/home XDG_RUNTIME_DIR=$work/home/run
unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME XDG_DOWNLOAD_DIR
mkdir -p -m 700 "$HOME" "$XDG_RUNTIME_DIR" "$work/site"
leave() {
  "$program" daemon stop >/dev/null 2>&1 || true
  if [ -n "${server:-}" ]; then kill "$server" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap leave EXIT

# A server that knows ranges and notes where each request begins.
head -c 30000000 /dev/urandom > "$work/site/file.bin"
python3 - "$work/site" "$work/port" <<'SERVER' &
import http.server, os, sys, time
folder, port = sys.argv[1:]
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *arguments): pass
    def handle(self):
        try:
            super().handle()
        except OSError:
            pass
    def do_GET(self):
        data = open(folder + self.path, "rb").read()
        first = 0
        wanted = self.headers.get("Range")
        with open(folder + "/../requests", "a") as requests: requests.write((wanted or "all") + "\n")
        if wanted:
            words = wanted.split("=")[1].split("-")
            first, last = int(words[0]), int(words[1] or len(data) - 1)
            part = data[first:last + 1]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{first + len(part) - 1}/{len(data)}")
        else:
            part = data
            self.send_response(200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        try:
            for start in range(0, len(part), 1 << 16):
                self.wfile.write(part[start:start + (1 << 16)])
        except OSError:
            self.close_connection = True
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
open(port + ".new", "w").write(str(server.server_port))
os.rename(port + ".new", port)
server.serve_forever()
SERVER
server=$!
for _ in $(seq 100); do [ -f "$work/port" ] && break; sleep 0.1; done
url=http://127.0.0.1:$(cat "$work/port")/file.bin

# Beside a download, the older service goes on.
"$old" add --limit 2M -d "$HOME" "$url" >/dev/null
for _ in $(seq 100); do
  [ "$("$old" list --json | grep -cE '"state": ?"running"')" = 1 ] && break
  sleep 0.1
done
"$program" list > "$work/out" 2> "$work/error"
grep -q 'The service is of version 0.0.9, and this program of' "$work/error" ||
  fail "beside a download: $(cat "$work/error")"
pid=$("$old" daemon status --json | sed -n 's/.*"processID": *\([0-9]*\).*/\1/p')
kill -0 "$pid" || fail 'the older service has ended'
say 'beside a download, the newer program says so and works with the older service'

# When nothing is being downloaded, it is replaced, and what is durable is not fetched again.
for _ in $(seq 200); do
  received=$("$old" list --json | sed -n 's/.*"bytesReceived": *\([0-9]*\).*/\1/p' | head -1)
  [ "${received:-0}" -gt 6000000 ] && break
  sleep 0.1
done
"$old" pause 1 >/dev/null
"$program" list > "$work/out" 2> "$work/error"
grep -q 'The service of version 0.0.9 was replaced by this one' "$work/error" ||
  fail "without a download: $(cat "$work/error")"
for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
kill -0 "$pid" 2>/dev/null && fail 'the older service runs still'
"$program" list --json | grep -qE '"state": ?"paused"' || fail "$("$program" list)"
kept=$("$program" list --json | sed -n 's/.*"bytesReceived": *\([0-9]*\).*/\1/p' | head -1)
[ "$kept" -ge "$received" ] || fail "$received bytes had arrived, and $kept are left"
: > "$work/requests"
"$program" start 1 >/dev/null
"$program" wait 1
cmp "$work/site/file.bin" "$HOME/file.bin" || fail 'the file differs'
if grep -qE '^all|=0-' "$work/requests"; then fail "it began again: $(cat "$work/requests")"; fi
say "replaced when nothing was being downloaded; $kept of 30000000 bytes were kept, and the file is right"

# Back: a store of the same version is opened; one of a newer version is refused and stays.
"$program" daemon stop >/dev/null
store=$(find "$HOME/.local/state/kettle" -name '*.sqlite' | head -1)
python3 - "$store" <<'NEWER'
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
store.execute("insert into grdb_migrations (identifier) values ('999')")
store.execute("pragma user_version = 999")
store.commit()
NEWER
contents() {
  python3 -c 'import sqlite3, sys; print("\n".join(sqlite3.connect(sys.argv[1]).iterdump()))' "$store"
}
contents > "$work/before"
if "$program" list > "$work/out" 2> "$work/error"; then fail 'a newer store was opened'; fi
contents > "$work/after"
cmp "$work/before" "$work/after" || fail 'a newer store was changed'
grep -h 'made by a newer Kettle' "$work/error" "$HOME"/.local/state/kettle/*.log | tail -1 | cut -c 1-300
say 'a store of a newer version is refused and stays as it is'
