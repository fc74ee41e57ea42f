#!/bin/bash
# test-image.sh IMAGE
# Looks at the image with skopeo, unpacks it with umoci, and runs it with runc, as root: as its user, without
# a capability, on a root that nobody can write. A download through the RPC and the proxy of compose.yaml,
# a stop in the middle of it, the rest after the next start, the health check, a hook and its orphan.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
say() { printf 'test-image: %s\n' "$*"; }
fail() { printf 'test-image: FAILED: %s\n' "$*" >&2; exit 1; }

if [ -z "${KETTLE_TEST_WORK:-}" ]; then
  [ "$(id -u)" -eq 0 ] || { echo 'test-image: containers need root; run it with sudo' >&2; exit 1; }
  work=$(mktemp -d)
  trap 'rm -rf --one-file-system "$work"' EXIT
  # A network of its own, and an end for everything that was started in it.
  KETTLE_TEST_WORK=$work unshare --net --mount --pid --fork --kill-child --mount-proc "$0" "$(realpath "$1")"
  exit
fi

work=$KETTLE_TEST_WORK
ip link set lo up
mkdir "$work/layout" "$work/volumes" "$work/site" "$work/tools"
tar -C "$work/layout" -xf "$1"
version=$(python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"])' \
  "$work/layout/index.json")
# Both readers check all digests.
skopeo --insecure-policy copy -q "oci:$work/layout:$version" "dir:$work/copied" || fail 'skopeo cannot read it'
skopeo --insecure-policy copy -q "docker-archive:$1:kettle:$version" "dir:$work/copied" ||
  fail 'it is none that docker load reads'
umoci unpack --image "$work/layout:$version" "$work/bundle" >/dev/null 2>"$work/said" ||
  fail "umoci: $(cat "$work/said")"
root=$work/bundle/rootfs
say 'files besides libexec and share:'
(cd "$root" && find . -type f ! -path './usr/local/libexec/*' ! -path './usr/local/share/*' | sort)

# The volumes belong to the user of the image, as new volumes of Docker do.
for volume in config state downloads; do
  cp -a "$root/$volume" "$work/volumes/$volume"
done
busybox=$(command -v busybox)
! ldd "$busybox" >/dev/null 2>&1 || fail "$busybox must be the static one"
cp "$busybox" "$work/tools/busybox"
# umoci writes what the image asks for; compose.yaml asks for less.
python3 - "$work" <<'CONFIG'
import json, sys
work = sys.argv[1]
path = work + "/bundle/config.json"
config = json.load(open(path))
process = config["process"]
assert process["args"] == ["/usr/local/bin/kettle", "daemon", "run"], process["args"]
assert process["user"]["uid"] == 1000 and process["user"]["gid"] == 1000, process["user"]
process["terminal"], process["noNewPrivileges"] = False, True
process["capabilities"] = {}
config["root"]["readonly"] = True
volumes = {"/config", "/state", "/downloads"}
replaced = volumes | {"/etc/resolv.conf"}
config["mounts"] = [mount for mount in config["mounts"] if mount["destination"] not in replaced]
config["mounts"] += [
    {"destination": volume, "source": work + "/volumes" + volume, "type": "bind", "options": ["rbind", "rw"]}
    for volume in sorted(volumes)]
config["mounts"].append(
    {"destination": "/tools", "source": work + "/tools", "type": "bind", "options": ["rbind", "ro"]})
# The network of this test.
namespaces = config["linux"]["namespaces"]
config["linux"]["namespaces"] = [entry for entry in namespaces if entry["type"] != "network"]
json.dump(config, open(path, "w"))
CONFIG
mkdir -p "$root/tools"

# A slow server that counts the pieces of 50,000 bytes that it sends.
head -c 5000000 /dev/urandom > "$work/site/file.bin"
(exec python3 - "$work" <<'SERVER') &
import http.server, os, re, sys, time
work = sys.argv[1]
content = open(work + "/site/file.bin", "rb").read()

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments): pass

    def do_GET(self):
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first = int(wanted[1]) if wanted else 0
        last = int(wanted[2]) if wanted and wanted[2] else len(content) - 1
        self.send_response(206 if wanted else 200)
        if wanted: self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
        self.send_header("Content-Length", str(last + 1 - first))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", '"one"')
        self.end_headers()
        for start in range(first, last + 1, 50000):
            if "slow" in self.path: time.sleep(0.1)
            try: self.wfile.write(content[start : min(start + 50000, last + 1)])
            except OSError: return
            with open(work + "/pieces", "a") as pieces: pieces.write(".")

server = http.server.ThreadingHTTPServer(("127.0.0.1", 8000), Handler)
os.close(os.open(work + "/serves", os.O_CREAT))
server.serve_forever()
SERVER

# The proxy of compose.yaml, and a page in the place of AriaNg.
mkdir -p "$work/nginx/page"
echo 'the page' > "$work/nginx/page/index.html"
{
  echo "user root; daemon off; worker_processes 1; pid $work/nginx/pid; error_log $work/nginx/log; events {}"
  echo "http { access_log off; client_body_temp_path $work/nginx/body; proxy_temp_path $work/nginx/proxy;"
  sed -n '/content: |/,$ { /content: |/d; s/\$\$/$/g; p }' "$here/compose.yaml"
  echo "server { listen 6880; root $work/nginx/page; } }"
} > "$work/nginx/conf"
PATH=$PATH:/usr/sbin nginx -c "$work/nginx/conf" -e "$work/nginx/log" &
for _ in $(seq 100); do [ -f "$work/serves" ] && [ -f "$work/nginx/pid" ] && break; sleep 0.1; done

inside() { runc --root "$work/runc" exec test /usr/local/bin/kettle "$@"; }
process() { runc --root "$work/runc" state test | sed -n 's/.*"pid": \([0-9]*\),.*/\1/p'; }
start() {
  runc --root "$work/runc" run --bundle "$work/bundle" test > "$work/log" 2>&1 &
  runner=$!
  for _ in $(seq 100); do
    # The health check.
    if inside daemon status > "$work/said" 2>&1; then return; fi
    sleep 0.1
  done
  fail "the container does not start: $(cat "$work/log" "$work/said")"
}
# Stops it as `docker stop` does, and sets how many milliseconds that took.
stop() {
  local from status=0
  from=$(date +%s%3N)
  runc --root "$work/runc" kill test TERM
  wait "$runner" || status=$?
  [ "$status" -eq 0 ] || fail "it ended with $status after SIGTERM: $(cat "$work/log")"
  taken=$(($(date +%s%3N) - from))
  # What Docker grants by itself.
  [ "$taken" -lt 10000 ] || fail "it ended after $taken ms"
}
rpc() {
  python3 - "$1" "$secret" "$2" "${3:-[]}" <<'CALL'
import json, sys, urllib.request
address, secret, method, parameters = sys.argv[1:]
parameters = ["token:" + secret] + json.loads(parameters)
body = json.dumps({"jsonrpc": "2.0", "id": "1", "method": method, "params": parameters})
request = urllib.request.Request(
    address, body.encode(), {"Origin": "http://nas.example:8080", "Content-Type": "application/json"})
print(json.dumps(json.load(urllib.request.urlopen(request, timeout=10))["result"]))
CALL
}

from=$(date +%s%3N)
start
say "the service is process 1 and ready after $(($(date +%s%3N) - from)) ms: $(inside --version)"
init=$(process)
grep -q '^NSpid:.*[[:space:]]1$' "/proc/$init/status" || fail 'it is not process 1'
[ "$(awk '/^Uid:/ { print $2 }' "/proc/$init/status")" = 1000 ] || fail 'it is not the user of the image'
[ "$(awk '/^CapEff:/ { print $2 }' "/proc/$init/status")" = 0000000000000000 ] || fail 'it has capabilities'

# The RPC, through the proxy.
inside rpc enable --allow-origin http://nas.example:8080 > "$work/said" || fail "rpc enable: $(cat "$work/said")"
secret=$(cat "$work/volumes/state/kettle/rpc-secret")
page=$(python3 -c 'import urllib.request
print(urllib.request.urlopen("http://127.0.0.1:8080/").read().decode())')
[ "$page" = 'the page' ] || fail "the proxy shows: $page"
gid=$(rpc http://127.0.0.1:8080/jsonrpc aria2.addUri '[["http://127.0.0.1:8000/slow/file.bin"]]') ||
  fail 'the RPC, through the proxy'
# A WebSocket is accepted (RFC 6455, section 4.2.2).
answer=$(printf '%s\r\n' 'GET /jsonrpc HTTP/1.1' 'Host: nas.example:8080' 'Origin: http://nas.example:8080' \
  'Upgrade: websocket' 'Connection: Upgrade' 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' \
  'Sec-WebSocket-Version: 13' '' |
  timeout 2 bash -c 'exec 3<>/dev/tcp/127.0.0.1/8080; cat >&3; head -n 1 <&3') || true
case $answer in *' 101 '*) ;; *) fail "no WebSocket through the proxy: $answer" ;; esac
say 'the RPC and its WebSocket answer through the proxy of compose.yaml'

# SIGTERM in the middle, and the next start continues.
for _ in $(seq 100); do
  had=$(rpc http://127.0.0.1:8080/jsonrpc aria2.tellStatus "[$gid, [\"completedLength\"]]" | tr -dc 0-9)
  [ "$had" -le 1500000 ] || break
  sleep 0.1
done
stop
say "SIGTERM during a download: ended with 0 after $taken ms"
! inside daemon status >/dev/null 2>&1 || fail 'the health check answers for a container that has ended'
sent=$(stat -c %s "$work/pieces")
start
for _ in $(seq 300); do [ -f "$work/volumes/downloads/file.bin" ] && break; sleep 0.1; done
cmp "$work/site/file.bin" "$work/volumes/downloads/file.bin" || fail 'the file differs'
rest=$(($(stat -c %s "$work/pieces") - sent))
[ "$rest" -lt 90 ] || fail "$sent pieces arrived before the stop, and $rest of 100 were fetched after it"
say "the next start fetched $rest of 100 pieces; $sent were sent before"

# A hook whose child outlives it, which process 1 must collect. The image has no shell.
cat > "$work/hooks" <<'HOOKS'

[hooks]
completed = ["/tools/busybox", "sh", "-c", "/tools/busybox sleep 1 & echo ran > /downloads/hook.txt"]
HOOKS
cat "$work/hooks" >> "$work/volumes/config/kettle/config.toml"
inside config reload >/dev/null || fail 'kettle config reload'
inside get -q http://127.0.0.1:8000/second.bin >/dev/null || fail 'kettle get'
cmp "$work/site/file.bin" "$work/volumes/downloads/second.bin" || fail 'the second file differs'
for _ in $(seq 100); do [ -f "$work/volumes/downloads/hook.txt" ] && break; sleep 0.1; done
[ -f "$work/volumes/downloads/hook.txt" ] || fail 'the hook did not run'
sleep 2
init=$(process)
others=$(cat "/proc/$init/task/$init/children")
[ -z "$others" ] || fail "process 1 has children left: $others"
say 'a hook ran, and nothing of it is left'

# The dashboard, as `docker exec -it` shows it.
tmux -L kettle -f /dev/null new-session -d -x 80 -y 24 \
  "runc --root $work/runc exec -t -e TERM=xterm-256color test /usr/local/bin/kettle; sleep 1"
shown=
for _ in $(seq 100); do
  screen=$(tmux -L kettle capture-pane -p 2>/dev/null || true)
  case $screen in *second.bin*) shown=yes; break ;; esac
  sleep 0.1
done
tmux -L kettle kill-server
[ -n "$shown" ] || fail "no list: $screen"
say 'the dashboard shows the list'
stop
say "SIGTERM without a download: ended with 0 after $taken ms"
say "the image has $(stat -c %s "$1") bytes, unpacked $(du -sb "$root" | cut -f 1)"
say 'everything passed'
