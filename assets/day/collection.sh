#!/bin/sh
# Keeps the screens about a collection: the tree to choose from, its row and its files while they
# come, and its files when they are complete and verified.
#
#   assets/day/collection.sh PROGRAM DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
# Short, because the path of a socket must be.
home=$(mktemp -d /tmp/kettle-day-XXXXXX)
port=${KETTLE_GALLERY_PORT:-18080}
. "$here/terminal.sh"

clean_up() {
  tm kill-server 2>/dev/null || true
  in_home "$program" daemon stop >/dev/null 2>&1 || true
  [ ! -s "$home/nginx.pid" ] || kill "$(cat "$home/nginx.pid")" 2>/dev/null || true
  rm -rf "$home"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
rm -f "$out"/*.screen "$out"/*.txt
served=$home/files/aurora-7b
mkdir -m 700 "$home/run"
mkdir -p "$served/onnx" "$served/tokenizer" "$home/temporary" "$home/.config/kettle"
printf '[limits]\ntransfers = 4\n' > "$home/.config/kettle/config.toml"

# The files are holes: as large as real ones, and made in no time.
list=$home/files/aurora-7b.jsonl
make_file() { # path size
  truncate -s "$2" "$served/$1"
  digest=$(sha256sum "$served/$1" | cut -d ' ' -f 1)
  printf '{"path": "%s", "url": "aurora-7b/%s", "size": %s, "sha256": "%s"}\n' \
    "$1" "$1" "$(stat -c %s "$served/$1")" "$digest" >> "$list"
}
make_file README.md 9K
make_file config.json 700
make_file generation_config.json 180
for number in 1 2 3 4; do make_file "model-0000$number-of-00004.safetensors" 486M; done
make_file model.safetensors.index.json 24K
make_file onnx/model.onnx 1540M
make_file onnx/model_q4.onnx 412M
make_file tokenizer/merges.txt 1700K
make_file tokenizer/tokenizer.json 11M
make_file tokenizer/vocab.json 2800K

[ "$(id -u)" -ne 0 ] || user='user root;'
cat > "$home/nginx.conf" <<CONF
${user:-}
pid $home/nginx.pid;
error_log $home/nginx.log;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path $home/temporary;
  proxy_temp_path $home/temporary;
  fastcgi_temp_path $home/temporary;
  uwsgi_temp_path $home/temporary;
  scgi_temp_path $home/temporary;
  default_type application/octet-stream;
  server {
    listen 127.0.0.1:$port;
    root $home/files;
    location / { }
    location ~ 00003|00004 { limit_rate 3m; }
  }
}
CONF
PATH=$PATH:/usr/sbin nginx -p "$home" -c "$home/nginx.conf"

begin 'the tree to choose from'
in_home "$program" add --paused --title aurora-7b --to "$home/models" \
  "http://127.0.0.1:$port/aurora-7b.jsonl" >/dev/null
open_terminal 100 28 "$program; exec sh"
see 'aurora-7b'
keys Enter
see '13 of 13 files' 'onnx/'
keys Space
see '11 of 13 files'
keep choice

begin 'a row with many files'
keys Enter
see '3/11' '20%'
keep row
keys Right
see 'model-00003'
keep collection

begin 'complete and verified'
in_home "$program" wait --all --timeout 120 >/dev/null
in_home "$program" verify 1 >/dev/null
see 'All done' 'vocab.json'
keep verified
printf 'collection: %d screens in %s\n' "$step_count" "$out"
