# Read by the tests of packages, which are bash. Makes the folder $work, which disappears at the end with
# all that was started. $trial is the name of the test.
work=$(mktemp -d)
root=
server=
say() { printf '%s: %s\n' "$trial" "$*"; }
fail() { printf '%s: FAILED: %s\n' "$trial" "$*" >&2; exit 1; }

# inside COMMAND...: runs a command in the new system, as a user's login would.
inside() {
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/home/anna LC_ALL=C.UTF-8 \
    TERM=xterm-256color DEBIAN_FRONTEND=noninteractive "$@"
}

# leave_system: ends what runs in the new system, and removes it.
leave_system() {
  [ -n "$root" ] || return 0
  inside kettle daemon stop >/dev/null 2>&1 || true
  inside tmux -L kettle kill-server >/dev/null 2>&1 || true
  umount "$root/proc" "$root/dev/pts" 2>/dev/null || true
  rm -rf --one-file-system "$root"
  root=
}
leave() {
  leave_system
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ ! -d "$work/gnupg" ] || GNUPGHOME=$work/gnupg gpgconf --kill all
  rm -rf --one-file-system "$work"
}
trap leave EXIT

# new_system RELEASE PACKAGE...: makes a new Debian with these packages in $root. Its own downloads come
# from the mirror that apt uses here. KETTLE_BASES names a folder that keeps such systems as archives.
new_system() {
  local release=$1 mirror base=
  shift
  [ "$(id -u)" -eq 0 ] || fail 'a new system needs root; run it with sudo'
  root=$work/root
  mkdir -p "$root"
  base=${KETTLE_BASES:+$KETTLE_BASES/$release-$(printf '%s\n' "$*" | md5sum | cut -c 1-8).tar}
  if [ -f "$base" ]; then
    tar -C "$root" -xf "$base"
  else
    # shellcheck disable=SC2016
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
      'Codename: bookworm' | head -1)
    [ -n "$mirror" ] || fail 'apt has no source with bookworm; name one'
    debootstrap --variant=minbase "$release" "$root" "$mirror" > "$work/debootstrap.log" ||
      { tail -5 "$work/debootstrap.log"; fail "debootstrap of $release"; }
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    inside apt-get update -qq
    inside apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>"$work/apt.log" ||
      { tail -5 "$work/apt.log"; fail "apt in $release"; }
    if [ -n "$base" ]; then mkdir -p "$KETTLE_BASES" && tar -C "$root" -cf "$base" .; fi
  fi
  mount -t proc proc "$root/proc"
  mkdir -p "$root/dev/pts" "$root/home/anna"
  mount -t devpts devpts "$root/dev/pts" 2>/dev/null || true
}

# files_inside: prints all files and links of the new system.
files_inside() { inside find / -xdev -type f -o -xdev -type l | LC_ALL=C sort; }

# documented SECTION PART: prints the commands below "# PART" in that section of docs/installing.md, with the
# server on $port in place of the maker's, and as root.
documented() {
  awk -v section="## $1" -v part="# $2" '
    /^## / { inside = $0 == section; next }
    inside && /^(# |```)/ { printed = $0 == part; next }
    inside && printed' "$(dirname "${BASH_SOURCE[0]}")/../../docs/installing.md" |
    sed "s|https://example.org/kettle|http://127.0.0.1:$port|g; s/^sudo //" | grep . ||
    fail "docs/installing.md does not say how: $1, $2"
}

# serve FOLDER: serves a folder on a free port of the loopback, and sets $port and $server.
serve() {
  (cd "$1" && exec python3 - "$work/port" <<'SERVER') &
import http.server, os, sys
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
server.RequestHandlerClass.log_message = lambda *arguments: None
with open(sys.argv[1] + ".new", "w") as file:
    file.write(str(server.server_port))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
SERVER
  server=$!
  for _ in $(seq 100); do [ -f "$work/port" ] && break; sleep 0.1; done
  port=$(cat "$work/port")
}
