#!/bin/sh
# Downloads collections from real servers, and from small ones that speak the API of a service, and
# compares every byte.
#
#     assets/sources/check.sh PROGRAM [hub|pages|webdav|ftp|archive|zenodo|figshare|dataverse|bucket|store]...
#
# Each kind of source is a file beside this one; without names all are checked. Where there is another
# client, such as that of a service, it downloads first: a server that it cannot use proves nothing. Kettle's
# service is killed in the middle of each download.
#
# A server or client that is not there is skipped, and a line says so. apt-get installs what
# assets/install-deps.sh names for sources; packages of Python go into a directory that is deleted.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
home=$(mktemp -d /tmp/kettle-sources-XXXXXX)
# The workers of nginx and Apache are other users.
chmod 755 "$home"
mkdir -m 700 "$home/run"
mkdir "$home/logs"
servers=''

# All programs have a home of their own, and nothing of the user's environment leads them to other servers,
# or gives them keys.
user_home=$HOME
for variable in $(env | sed -n 's/^\([A-Z]*_[A-Za-z0-9_]*\)=.*/\1/p'); do
  case $variable in AWS_* | HF_* | KETTLE_* | RCLONE_* | XDG_*) unset "$variable" ;; esac
done
export HOME="$home" XDG_RUNTIME_DIR="$home/run" no_proxy=127.0.0.1,localhost NO_PROXY=127.0.0.1,localhost
export PATH="$PATH:/usr/sbin:/sbin" PYTHONDONTWRITEBYTECODE=1

kettle() { "$program" "$@"; }

clean_up() {
  kettle daemon stop >/dev/null 2>&1 || true
  for server in $servers; do kill "$server" 2>/dev/null || true; done
  for server in $servers; do wait "$server" 2>/dev/null || true; done
  rm -rf "$home"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

fail() { printf 'sources: %s\n' "$1" >&2; exit 1; }
skip() { printf 'sources: skipped %s: %s\n' "$1" "$2"; }

# Whether all programs are there; says so if not.
have() { # name program...
  peer=$1
  shift
  for wanted in "$@"; do
    command -v "$wanted" >/dev/null && continue
    skip "$peer" "$wanted is not installed"
    return 1
  done
}

# Installs packages of Python; returns 1, and says so, if that is impossible.
python=$home/venv/bin/python
install() { # name package...
  peer=$1
  shift
  HOME=$user_home "$python" -m pip install --quiet "$@" >"$home/logs/pip" 2>&1 && return
  skip "$peer" "pip cannot install it: $(grep -i error "$home/logs/pip" | tail -1)"
  return 1
}

# Starts a server on a free port of 127.0.0.1, and waits until it listens. It is killed if it does not end
# when it is told to, or after an hour.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
start() { # name port command...
  started=$1 port_of_started=$2
  shift 2
  timeout --kill-after=5 3600 "$@" >"$home/logs/$started" 2>&1 &
  servers="$servers $!"
  python3 - "$port_of_started" "$!" <<'END' || fail "$started does not start: $(tail -3 "$home/logs/$started")"
import os, socket, sys, time
for attempt in range(600):
    # A process that has ended has no program.
    if not os.path.exists(f"/proc/{sys.argv[2]}/exe"):
        sys.exit(1)
    try:
        socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1).close()
        break
    except OSError:
        time.sleep(0.1)
else:
    sys.exit(1)
END
}

# Kills the service when the first file of a collection is complete, or what is there after a minute.
kill_service() { # id
  tries=600
  while [ $tries -gt 0 ]; do
    kettle collections --json | grep "\"id\": $1," >"$home/at-kill" || true
    complete=$(sed -n 's/.*"completedCount": \([0-9]*\).*/\1/p' "$home/at-kill")
    [ "${complete:-0}" -eq 0 ] || break
    if grep -q '"state": "failed"' "$home/at-kill"; then break; fi
    tries=$((tries - 1))
    sleep 0.1
  done
  kill -9 "$(kettle daemon status --json | sed -n 's/.*"processID": \([0-9]*\).*/\1/p')"
  if grep -q '"state": "completed"' "$home/at-kill"; then fail "$name was complete before the service was killed"; fi
}

line_of() { kettle collections | sed -n "s/^$1  //p"; } # id

# Adds a source, kills the service while it is fetched, and compares the directory in the end.
compare() { # name source directory options...
  name=$1 source=$2 expected=$3
  shift 3
  # The next service does not know this limit.
  kettle limit 500K >/dev/null
  id=$(kettle add "$source" --to "$home/got-$name" "$@")
  kill_service "$id"
  kettle wait "$id" --timeout 300 >"$home/logs/wait" 2>&1 || fail "$name did not complete: $(cat "$home/logs/wait")"
  diff -r "$expected" "$home/got-$name" >"$home/logs/diff" || fail "$name has other bytes: $(cat "$home/logs/diff")"
  printf 'sources: %s: killed after %s files, then %s\n' "$name" "$complete" "$(line_of "$id")"
}

# Damages a file at the source. Kettle must fail with that one alone, and complete when it is right again.
compare_damaged() { # name source directory path
  name=$1 source=$2 expected=$3 path=$4
  cp -Rp "$expected" "$home/right"
  printf damaged | dd of="$expected/$path" conv=notrunc status=none
  id=$(kettle add "$source" --to "$home/got-$name")
  if kettle wait "$id" --timeout 300 >"$home/logs/wait" 2>&1; then fail "$name completed with a damaged file"; fi
  case $(line_of "$id") in *', 1 failed'*) ;; *) fail "$name: $(line_of "$id")" ;; esac
  failed=$(kettle list --collection "$id" --state failed --json)
  case $failed in *"/$path\""*checksumMismatch*) ;; *) fail "$name failed with others: $failed" ;; esac
  missing="Only in $(dirname "$home/right/$path"): $(basename "$path")"
  [ "$(LC_ALL=C diff -r "$home/right" "$home/got-$name")" = "$missing" ] || fail "$name has other bytes beside $path"
  mv "$home/right/$path" "$expected/$path"
  rm -r "$home/right"
  kettle start "$id" >/dev/null
  kettle wait "$id" --timeout 300 >"$home/logs/wait" 2>&1 || fail "$name did not recover: $(cat "$home/logs/wait")"
  diff -r "$expected" "$home/got-$name" >"$home/logs/diff" || fail "$name has other bytes: $(cat "$home/logs/diff")"
  printf 'sources: %s: failed with "%s" alone, then %s\n' "$name" "$path" "$(line_of "$id")"
}

# What another client has downloaded must be right, or its server is wrong.
expect_same() { # client directory downloaded
  diff -r "$2" "$3" >"$home/logs/diff" || fail "$1 got other bytes: $(cat "$home/logs/diff")"
  printf 'sources: %s got %s files\n' "$1" "$(find "$3" -type f | wc -l)"
  rm -r "$3"
}

# 120 files with unusual names, three levels deep.
served=$home/served
mkdir -p "$served/pub/sub one/deep"
for directory in "$served/pub" "$served/pub/sub one" "$served/pub/sub one/deep"; do
  for number in $(seq 1 40); do
    head -c $((number * 997)) /dev/urandom >"$directory/file $number & ünï#%41.bin"
  done
done
python3 -m venv "$home/venv"

[ $# -gt 0 ] || set -- hub pages webdav ftp archive zenodo figshare dataverse bucket store
for part; do
  # shellcheck source=/dev/null
  . "$here/$part.sh"
done
echo 'sources: everything is equal'
