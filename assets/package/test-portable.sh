#!/bin/bash
# test-portable.sh ARCHIVE [PROGRAM]
# Uses the portable archive in Debian 11, 12 and 13, in a system of musl and busybox, and in a root that
# has only /etc and /proc, as root: downloads by name over HTTP and HTTPS, the service, the dashboard, a
# hook, the links, removal. With PROGRAM, also compares the time until the first screen with that of the
# program as it was built: 20 ms more are allowed. The systems come from the mirror that apt uses here;
# KETTLE_ROOTS names a folder that keeps them.
set -euo pipefail
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "$0")" && pwd)
say() { printf 'test-portable: %s\n' "$*"; }
fail() { printf 'test-portable: FAILED: %s\n' "$*" >&2; exit 1; }

# Prints nothing; makes the folder $1 with Debian's release $2.
debian() {
  local kept=${KETTLE_ROOTS:+$KETTLE_ROOTS/$2.tar} mirror
  mkdir -p "$1"
  if [ -f "$kept" ]; then
    tar -C "$1" -xf "$kept"
    return
  fi
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' |
    head -1)
  [ -n "$mirror" ] || fail 'apt has no source with bookworm; name one'
  debootstrap --variant=minbase "$2" "$1" "$mirror" > "$work/debootstrap.log" ||
    { tail -5 "$work/debootstrap.log"; fail "debootstrap $2"; }
  umount "$1/proc" 2>/dev/null || true
  if [ -n "$kept" ]; then tar -C "$1" -cf "$kept" .; fi
}

# Makes the folder $1 with a C library that is not glibc, and nothing that is linked with glibc.
musl() {
  mkdir -p "$1/tmp" "$1/dev" "$1/bin" "$work/packages"
  (cd "$work/packages" && apt-get download -qq musl busybox-static >/dev/null 2>&1) ||
    fail 'apt-get download musl busybox-static'
  for package in "$work"/packages/*.deb; do dpkg-deb -x "$package" "$1"; done
  mknod -m 666 "$1/dev/null" c 1 3
  chroot "$1" /bin/busybox --install -s /bin
  [ -z "$(find "$1" -name 'libc.so.6' -o -name 'ld-linux*')" ] || fail 'the system of musl has glibc'
}

if [ -z "${KETTLE_TEST_WORK:-}" ]; then
  [ "$(id -u)" -eq 0 ] || { echo 'test-portable: new systems need root; run it with sudo' >&2; exit 1; }
  work=$(mktemp -d)
  trap 'rm -rf --one-file-system "$work"' EXIT
  debian "$work/bullseye" bullseye
  debian "$work/bookworm" bookworm
  debian "$work/trixie" trixie
  musl "$work/musl"
  mkdir "$work/empty"
  # A network of its own, and an end for everything that was started in it.
  KETTLE_TEST_WORK=$work unshare --net --mount --pid --fork --kill-child --mount-proc \
    "$here/test-portable.sh" "$(realpath "$1")" ${2:+"$(realpath "$2")"}
  exit
fi

work=$KETTLE_TEST_WORK
archive=$1
native=${2:-}
ip link set lo up
size=$(stat -c %s "$archive")

# Names: hosts.test is in /etc/hosts, only the name server knows dns.test.
mkdir "$work/site"
head -c 3000000 /dev/urandom > "$work/site/file.bin"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=Test authority' -keyout "$work/ca.key" \
  -out "$work/ca.pem" 2>/dev/null
openssl req -newkey rsa:2048 -nodes -subj /CN=dns.test -keyout "$work/key.pem" -out "$work/request.pem" 2>/dev/null
openssl x509 -req -in "$work/request.pem" -CA "$work/ca.pem" -CAkey "$work/ca.key" -days 2 -set_serial 2 \
  -extfile <(echo 'subjectAltName=DNS:dns.test,DNS:hosts.test') -out "$work/cert.pem" 2>/dev/null
(cd "$work/site" && exec python3 - "$work" <<'SERVER') &
import http.server, os, socket, ssl, sys, threading
work = sys.argv[1]
encoded = {
    "gzip": bytes.fromhex("1f8b08000000000000ffcb48cdc9c9070086a6103605000000"),
    "br": b"\x0b\x02\x80hello\x03",
    "zstd": b"\x28\xb5\x2f\xfd\x20\x05\x29\x00\x00hello",
}

class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments): pass

    def do_GET(self):
        body = encoded.get(self.path.strip("/"))
        if body is None: return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Encoding", self.path.strip("/"))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

def names():
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    while True:
        query, client = server.recvfrom(512)
        end = query.index(0, 12) + 5
        question, kind = query[12:end], query[end - 3]
        known = question.startswith(b"\x03dns\x04test\x00")
        answer = b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\x7f\x00\x00\x01" if known and kind == 1 else b""
        flags = b"\x81\x80" if known else b"\x81\x83"
        count = b"\x00\x01" if answer else b"\x00\x00"
        server.sendto(query[:2] + flags + b"\x00\x01" + count + b"\x00\x00\x00\x00" + question + answer, client)

plain = http.server.ThreadingHTTPServer(("127.0.0.1", 80), Handler)
secure = http.server.ThreadingHTTPServer(("127.0.0.1", 443), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(work + "/cert.pem", work + "/key.pem")
secure.socket = context.wrap_socket(secure.socket, server_side=True)
for run in (names, plain.serve_forever): threading.Thread(target=run, daemon=True).start()
os.close(os.open(work + "/serves", os.O_CREAT))
secure.serve_forever()
SERVER
for _ in $(seq 100); do [ -f "$work/serves" ] && break; sleep 0.1; done

# A hook of the system of musl, linked with its C library, tells what its environment and its libraries are.
cat > "$work/hook.c" <<'HOOK'
#include <stdio.h>
extern char **environ;
int main(void) {
  FILE *out = fopen("/root/hook.txt", "w"), *maps = fopen("/proc/self/maps", "r");
  for (char **entry = environ; *entry; entry++) fprintf(out, "%s\n", *entry);
  for (int byte; (byte = getc(maps)) != EOF;) putc(byte, out);
  return fclose(out);
}
HOOK
musl-gcc -O -o "$work/musl/bin/hook" "$work/hook.c"

inside() {
  env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 TERM="${term:-xterm-256color}" \
    COLORFGBG='15;0' "$(command -v chroot)" "$root" "$@"
}

# Prints the paths of the libraries that the service has in its memory.
libraries() { awk '$6 ~ /\.so/ { print $6 }' "/proc/$1/maps" | sort -u; }

# What a person does, in the system $1, with certificates in the file $2, and the hook $3.
try() {
  local name=$1 bundle=$2 hook=$3 kettle=kettle prefix=/usr/local service screen shown='' other
  root=$work/$name
  mkdir -p "$root/root" "$root/etc" "$root/proc"
  mount -t proc proc "$root/proc"
  printf '127.0.0.1 localhost hosts.test\n' > "$root/etc/hosts"
  printf 'nameserver 127.0.0.1\n' > "$root/etc/resolv.conf"
  # Modules that are not there.
  echo 'hosts: files mdns4_minimal [NOTFOUND=return] resolve [!UNAVAIL=return] dns' > "$root/etc/nsswitch.conf"
  rm -rf "${root:?}/etc/ssl" "${root:?}/etc/pki"
  case $name in
    empty)
      prefix=/kettle
      kettle=/kettle/bin/kettle
      mkdir "$root/kettle"
      tar -C "$root/kettle" --strip-components=1 -xf "$archive"
      ;;
    *)
      tar -C "$root/root" -xf "$archive"
      inside sh -c 'cd /root/kettle-* && ./install.sh' > "$work/said" || fail "$name: install.sh"
      ! grep -q 'missing' "$work/said" || fail "$name: $(cat "$work/said")"
      mkdir -p "$root/root/.config/kettle"
      printf '[hooks]\ncompleted = %s\n' "$hook" > "$root/root/.config/kettle/config.toml"
      ;;
  esac
  case $(inside "$kettle" --version) in 'kettle '*) ;; *) fail "$name: kettle --version" ;; esac

  # The service starts by itself, and trusts only whom the system trusts.
  inside "$kettle" get -q -d /root/files http://hosts.test/file.bin >/dev/null || fail "$name: http, by /etc/hosts"
  cmp "$work/site/file.bin" "$root/root/files/file.bin" || fail "$name: the file differs"
  if inside "$kettle" get -q -d /root/files https://dns.test/file.bin?1 2> "$work/said"; then
    fail "$name: an unknown authority was trusted"
  fi
  grep -qi 'certificate' "$work/said" || fail "$name: $(cat "$work/said")"
  inside "$kettle" daemon stop >/dev/null || fail "$name: kettle daemon stop"
  mkdir -p "$root$(dirname "$bundle")"
  cp "$work/ca.pem" "$root$bundle"
  inside "$kettle" get -q -d /root/safe https://dns.test/file.bin >/dev/null || fail "$name: https, by the name server"
  cmp "$work/site/file.bin" "$root/root/safe/file.bin" || fail "$name: the file of https differs"
  for other in gzip br zstd; do
    inside "$kettle" get -q --decode -d /root/files "http://hosts.test/$other" >/dev/null || fail "$name: --decode $other"
    [ "$(cat "$root/root/files/$other")" = hello ] || fail "$name: --decode $other: another text"
  done
  inside "$kettle" fleet join postgres://hosts.test/fleet > "$work/said" 2>&1 && fail "$name: there is no database"
  ! grep -q 'libpq' "$work/said" || fail "$name: $(cat "$work/said")"

  # One process, which is this program and has no library of the system.
  service=$(inside "$kettle" daemon status | sed -n 's/.*, process \([0-9]*\),.*/\1/p')
  [ "$(readlink "/proc/$service/exe")" = "$root$prefix/bin/kettle" ] || fail "$name: /proc/PID/exe"
  [ "$(cat "/proc/$service/comm")" = kettle ] || fail "$name: the name of the process"
  other=$(libraries "$service" | grep -v "^$root$prefix/libexec/kettle/lib/" || true)
  [ -z "$other" ] || fail "$name: the service uses $other"
  ! tr '\0' '\n' < "/proc/$service/environ" | grep -qE '^(LD_|TERMINFO)' || fail "$name: the environment"
  [ "$(libraries "$service" | wc -l)" -ge 25 ] || fail "$name: the service uses $(libraries "$service" | wc -l) libraries"

  # What it starts has the libraries of the system and none of ours.
  if [ -n "$hook" ]; then
    for _ in $(seq 100); do grep -qs 'stack' "$root/root/hook.txt" && break; sleep 0.1; done
    grep -q '^KETTLE_EVENT=completed' "$root/root/hook.txt" || fail "$name: the hook did not run"
    ! grep -qE '^(LD_|TERMINFO)|libexec' "$root/root/hook.txt" || fail "$name: the hook got $(cat "$root/root/hook.txt")"
    grep -qE '/(libc[.-]|ld-musl)' "$root/root/hook.txt" || fail "$name: the hook has no C library"
  fi

  # The dashboard, in terminals that not every system knows, and in UTF-8, also without a locale.
  inside "$kettle" add --paused -d /root -t waiting http://hosts.test/file.bin?2 >/dev/null ||
    fail "$name: kettle add"
  for term in xterm-256color tmux-256color alacritty; do
    tmux -u -L kettle -f /dev/null new-session -d -x 80 -y 24 "env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root \
      LANG=de_DE.UTF-8 TERM=$term COLORFGBG='15;0' $(command -v chroot) $root $kettle 2>$work/said"
    shown=
    for _ in $(seq 100); do
      screen=$(tmux -L kettle capture-pane -p 2>/dev/null || true)
      case $screen in *─*waiting*) shown=yes; break ;; esac
      sleep 0.1
    done
    [ -n "$shown" ] || fail "$name: no list on $term: $screen $(cat "$work/said")"
    [ "$name" != empty ] || [ "$term" != alacritty ] || printf '%s\n' "$screen"
    tmux -L kettle send-keys q
    for _ in $(seq 50); do tmux -L kettle has-session 2>/dev/null || break; sleep 0.1; done
    ! tmux -L kettle has-session 2>/dev/null || fail "$name: the dashboard does not end"
  done
  unset term

  # Other names of the program.
  case $(inside "$prefix/bin/kettle-aria2c" --version) in kettle-aria2c*) ;; *) fail "$name: kettle-aria2c" ;; esac
  shown=$(printf '\031\0\0\0{"id":1,"method":"hello"}' |
    inside "$prefix/libexec/kettle/kettle-native-host" chrome-extension://abc/ | tr -d '\0')
  case $shown in *'"version":'*) ;; *) fail "$name: the host of browsers said: $shown" ;; esac

  inside "$kettle" daemon stop >/dev/null || fail "$name: kettle daemon stop"
  [ ! -d "/proc/$service" ] || fail "$name: the service runs after kettle daemon stop"
  umount "$root/proc"
  if [ "$name" != empty ]; then
    inside sh -c 'cd /root/kettle-* && ./install.sh --remove' >/dev/null || fail "$name: install.sh --remove"
    other=$(cd "$root/usr/local" && find . -type f -o -type l | grep -i kettle || true)
    [ -z "$other" ] || fail "$name: install.sh --remove left $other"
  fi
  say "$name: everything works"
}

shell='["sh", "-c", "env > /root/hook.txt; cat /proc/self/maps >> /root/hook.txt"]'
try bullseye /etc/ssl/certs/ca-certificates.crt "$shell"
try bookworm /etc/pki/tls/certs/ca-bundle.crt "$shell"
try trixie /etc/ssl/ca-bundle.pem "$shell"
try musl /etc/ssl/cert.pem '["/bin/hook"]'
try empty /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem ''

# A folder whose name has what separates entries of a search path.
mkdir "$work/a:b \$c"
tar -C "$work/a:b \$c" --strip-components=1 -xf "$archive"
case $("$work/a:b \$c/bin/kettle" --version) in 'kettle '*) ;; *) fail 'a folder with a colon in its name' ;; esac
say "runs in a folder of any name; the archive has $size bytes, unpacked $(du -sb "$work/a:b \$c" | cut -f 1)"

# The time until the dashboard shows a row, in turns; the service runs.
[ -z "$native" ] || python3 - "$work" "$native" "$work/a:b \$c/bin/kettle" <<'SCREENS' || fail 'the first screen'
import os, pty, select, signal, statistics, subprocess, sys, time

def environment(program):
    home = sys.argv[1] + "/home" + str(sys.argv.index(program))
    return {"HOME": home, "PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "COLORFGBG": "15;0"}

def first_screen(program):
    start = time.monotonic()
    child, terminal = pty.fork()
    if child == 0: os.execve(program, [program], environment(program))
    text = b""
    while b"waiting" not in text:
        if not select.select([terminal], [], [], 10)[0]: sys.exit("no screen of " + program)
        text += os.read(terminal, 65536)
    taken = time.monotonic() - start
    os.write(terminal, b"q")
    try:
        while os.read(terminal, 65536): pass
    except OSError: pass
    os.waitpid(child, 0)
    return taken * 1000

programs = sys.argv[2:]
for program in programs:
    os.makedirs(environment(program)["HOME"])
    subprocess.run([program, "add", "--paused", "-t", "waiting", "http://hosts.test/file.bin"],
                   env=environment(program), check=True, stdout=subprocess.DEVNULL)
taken = {program: [] for program in programs}
for turn in range(31):
    for program in programs: taken[program].append(first_screen(program))
for program in programs: subprocess.run([program, "daemon", "stop"], env=environment(program), stdout=subprocess.DEVNULL)
native, portable = (statistics.median(taken[program]) for program in programs)
print(f"test-portable: first screen after {native:.1f} ms as built, {portable:.1f} ms in the archive")
sys.exit(portable > native + 20)
SCREENS
say 'everything passed'
