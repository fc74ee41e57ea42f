# A throw-away home with seventeen downloads: a real service, and nginx on the loopback. Read by
# gallery.sh and scene.sh.
#
#   program  the program under test        out    where the screens are kept
#   here     the folder of these scripts   fill_list, see_percent, and all of terminal.sh

# Short, because the path of a socket must be.
home=$(mktemp -d /tmp/kettle-day-XXXXXX)
port=${KETTLE_GALLERY_PORT:-18080}
busy_port=$((port + 1))
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
mkdir -m 700 "$home/run" "$home/files" "$home/temporary"

# The files are holes: as large as real ones, and made in no time.
make_file() { truncate -s "$2" "$home/files/$1"; } # name size

make_file debian-13.2.0-netinst.iso 783M
make_file blender-5.0-linux.tar.xz 372M
make_file sintel-2048-surround.mp4 1104M
make_file europe-roads.osm.pbf 412M
make_file fedora-workstation-43.iso 2230M
make_file wikipedia-simple-2026-10.zim 920M
make_file llvm-21.1.5-src.tar.xz 158M
make_file noto-cjk-fonts.zip 118M
make_file moonlight-sonata.flac 61M
make_file rust-1.91.1-x86_64.tar.xz 242M
make_file apollo-11-flight-plan.pdf 37M
make_file lecture-07-consensus.mp4 486M
make_file sqlite-src-3510000.zip 14M
make_file city-elevation-lidar.laz 640M
make_file podcast-ep-214.mp3 48M
make_file satellite-mosaic-2026.tif 3100M
make_file night-sky-timelapse.mov 540M
make_file field-recordings-2026.flac 210M
printf 'survey:{PLAIN}theodolite\n' > "$home/users"

# nginx gives up root, and the throw-away home is open to its owner alone.
[ "$(id -u)" -ne 0 ] || user='user root;'
cat > "$home/nginx.conf" <<CONF
${user:-}
pid $home/nginx.pid;
error_log $home/nginx.log;
worker_processes 1;
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
    location ~ debian { limit_rate 3700k; }
    location ~ blender { limit_rate 6200k; }
    location ~ sintel { limit_rate 9800k; }
    location ~ lecture { limit_rate 14m; }
    location ~ mosaic { limit_rate 3m; }
    location ~ fedora { limit_rate 5m; }
    location ~ wikipedia { limit_rate 4m; }
    location ~ lidar { auth_basic survey; auth_basic_user_file $home/users; limit_rate 5m; }
    location ~ old-firmware { return 404; }
  }
  # A server that asks for a pause is left alone as a whole, so it is one of its own.
  server {
    listen 127.0.0.1:$busy_port;
    location / { add_header Retry-After 840 always; return 503; }
  }
}
CONF
PATH=$PATH:/usr/sbin nginx -p "$home" -c "$home/nginx.conf"

url() { printf 'http://127.0.0.1:%s/%s' "$port" "$1"; }
# Each transfer is one line of the list.
rows() { in_home "$program" list --json; }

# The id of the transfer whose line has the word.
id_of() { rows | grep "$1" | sed -n 's/.*"id": *\([0-9]*\).*/\1/p'; }

percent_of() {
  rows | grep "$1" |
    sed -n 's/.*"bytesReceived": *\([0-9]*\), *"bytesExpected": *\([0-9]*\).*/\1 \2/p' |
    awk '{ percent = $2 > 0 ? int(100 * $1 / $2) : 0 } END { print percent + 0 }'
}

# Waits until the transfer is at least so far.
see_percent() { # word percent
  deadline=$(($(date +%s) + budget_seconds))
  until [ "$(percent_of "$1")" -ge "$2" ]; do
    [ "$(date +%s)" -le "$deadline" ] || complain "\"$1\" never came to $2 % in step $step_name"
    sleep 0.1
  done
}

add() { in_home "$program" add "$@" >/dev/null; }
# Starts the transfer whose line has the word.
start() { in_home "$program" start "$(id_of "$1")" >/dev/null; }

mkdir -p "$home/.config/kettle"
printf '[limits]\ntransfers = 4\nconnections-per-host = 40\n' > "$home/.config/kettle/config.toml"

# Fills the list, in the order in which it is shown, and opens the dashboard on it: a download in
# every state, four of them running and the first one at 30 %.
fill_list() {
  begin 'the list, in the order in which it is shown'
  add --paused --connections 8 "$(url debian-13.2.0-netinst.iso)"
  add --paused --connections 4 "$(url sintel-2048-surround.mp4)"
  add --paused --connections 3 "$(url blender-5.0-linux.tar.xz)"
  add --paused --connections 2 --limit 4M "$(url satellite-mosaic-2026.tif)"
  add --paused --connections 4 "$(url fedora-workstation-43.iso)" \
    "$(url wikipedia-simple-2026-10.zim)"
  add --not-before "$(date -u -d 'tomorrow 01:00' +%Y-%m-%dT%H:%M:%SZ)" \
    "$(url llvm-21.1.5-src.tar.xz)"
  add --paused --connections 2 --limit 24M "$(url lecture-07-consensus.mp4)"
  add --paused "http://127.0.0.1:$busy_port/europe-roads.osm.pbf"
  add --paused "$(url city-elevation-lidar.laz)" "$(url old-firmware-2.4.bin)"
  add "$(url apollo-11-flight-plan.pdf)" "$(url sqlite-src-3510000.zip)" \
    "$(url podcast-ep-214.mp3)" "$(url moonlight-sonata.flac)" \
    "$(url rust-1.91.1-x86_64.tar.xz)" "$(url noto-cjk-fonts.zip)"
  for word in apollo sqlite podcast moonlight rust noto; do
    in_home "$program" wait --timeout "$budget_seconds" "$(id_of "$word")" >/dev/null
  done

  begin 'a list with something of everything'
  open_terminal 100 28 "$program; exec sh"
  see 'debian-13.2.0' '✔ 6'
  for word in firmware lidar europe lecture; do start "$word"; done
  see '404' 'wants a login' 'retry in'
  see_percent lecture 61
  in_home "$program" pause "$(id_of lecture)" >/dev/null
  for word in mosaic blender sintel; do start "$word"; done
  see_percent blender 10
  for word in debian fedora wikipedia; do start "$word"; done
  see_percent debian 30
  see 'running 4' '404'
}
