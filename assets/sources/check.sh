#!/bin/sh
# Downloads collections from real servers and compares every byte.
#
#     assets/sources/check.sh PROGRAM
#
# Hugging Face: hub.py, from which huggingface_hub downloads first. Directories: nginx, Apache, its
# WebDAV, and Python's http.server. The service is killed in the middle of each. It needs python3, nginx and
# apache2; huggingface_hub is installed into a directory that is deleted.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
home=$(mktemp -d /tmp/kettle-sources-XXXXXX)
# The workers of nginx and Apache are other users.
chmod 755 "$home"
mkdir -m 700 "$home/run"
servers=''

kettle() {
  env HOME="$home" XDG_RUNTIME_DIR="$home/run" HF_ENDPOINT=http://127.0.0.1:8197 HF_TOKEN= \
    "$program" "$@"
}

clean_up() {
  kettle daemon stop >/dev/null 2>&1 || true
  for server in $servers; do kill "$server" 2>/dev/null || true; done
  rm -rf "$home"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

fail() { printf 'sources: %s\n' "$1" >&2; exit 1; }

# A directory of 120 files with unusual names, three levels deep, and a repository.
served=$home/served
mkdir -p "$served/pub/sub one/deep" "$served/model/onnx"
for directory in "$served/pub" "$served/pub/sub one" "$served/pub/sub one/deep"; do
  for number in $(seq 1 40); do
    head -c $((number * 997)) /dev/urandom >"$directory/file $number & ünï#%41.bin"
  done
done
for number in 1 2 3; do head -c 8000000 /dev/urandom >"$served/model/part-$number.safetensors"; done
head -c 3000 /dev/urandom >"$served/model/onnx/model.onnx"
for number in $(seq 1 50); do echo "$number" >"$served/model/token-$number.txt"; done

python3 "$here/hub.py" 8197 "$served/model" 20 2>/dev/null &
servers="$servers $!"
python3 -m http.server 8198 --bind 127.0.0.1 --directory "$served" >/dev/null 2>&1 &
servers="$servers $!"
cat >"$home/nginx.conf" <<EOF
daemon off; pid $home/nginx.pid; error_log $home/nginx.log;
events {}
http {
  access_log off;
  server { listen 127.0.0.1:8199; root $served; autoindex on; charset utf-8; }
  server { listen 127.0.0.1:8200; root $served; autoindex on; autoindex_format json; }
}
EOF
nginx -c "$home/nginx.conf" 2>/dev/null & servers="$servers $!"
modules=/usr/lib/apache2/modules
cat >"$home/apache.conf" <<EOF
ServerName localhost
Listen 127.0.0.1:8201
PidFile $home/apache.pid
ErrorLog $home/apache.log
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule dir_module $modules/mod_dir.so
LoadModule autoindex_module $modules/mod_autoindex.so
LoadModule dav_module $modules/mod_dav.so
LoadModule dav_fs_module $modules/mod_dav_fs.so
DavLockDB $home/dav-lock
DocumentRoot $served
Listen 127.0.0.1:8202
<Directory $served>
  Options +Indexes
  IndexOptions FancyIndexing NameWidth=*
  Require all granted
</Directory>
<VirtualHost 127.0.0.1:8202>
  DocumentRoot $served
  <Location />
    Dav On
  </Location>
</VirtualHost>
EOF
apache2 -X -f "$home/apache.conf" & servers="$servers $!"
python3 - 8197 8198 8199 8200 8201 8202 <<'EOF' || fail 'a server does not start'
import socket, sys, time
for port in map(int, sys.argv[1:]):
    for attempt in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.1)
    else:
        sys.exit(1)
EOF

# Adds a source, kills the service while it is fetched, and compares the directory in the end.
compare() { # name source directory options...
  name=$1 source=$2 expected=$3
  shift 3
  id=$(kettle add "$source" --to "$home/got-$name" "$@")
  pid=$(kettle daemon status --json | sed -n 's/.*"processID": \([0-9]*\).*/\1/p')
  kill -9 "$pid"
  kettle wait "$id" --timeout 120 >/dev/null || fail "$name did not complete"
  diff -r "$expected" "$home/got-$name" >/dev/null || fail "$name has other bytes"
  printf 'sources: %s: %s\n' "$name" "$(kettle collections | sed -n "s/^$id  //p")"
}

python3 -m venv "$home/venv"
"$home/venv/bin/pip" install --quiet huggingface_hub
HF_ENDPOINT=http://127.0.0.1:8197 HF_HOME=$home/hf "$home/venv/bin/python" -c \
  'import sys; from huggingface_hub import snapshot_download
snapshot_download("org/model", local_dir=sys.argv[1])' "$home/by-hf" >/dev/null 2>&1 ||
  fail 'huggingface_hub cannot download from hub.py'
rm -rf "$home/by-hf/.cache"
diff -r "$served/model" "$home/by-hf" >/dev/null || fail 'huggingface_hub got other bytes'
compare hugging-face hf://org/model "$served/model"
compare python http://127.0.0.1:8198/pub/ "$served/pub" --depth 2
compare nginx http://127.0.0.1:8199/pub/ "$served/pub" --depth 2
compare nginx-json http://127.0.0.1:8200/pub/ "$served/pub" --depth 2
compare apache http://127.0.0.1:8201/pub/ "$served/pub" --depth 2
compare webdav dav://127.0.0.1:8202/pub/ "$served/pub"
echo 'sources: everything is equal'
