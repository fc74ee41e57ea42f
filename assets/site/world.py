"""A machine of its own for the commands of the documents, with every host that they name.

`enter` starts a program again in namespaces, which needs no root: there the user is `you`, all names lead to
the servers below, nothing leads out, and every process and file is gone in the end. The system is there, but
cannot be written; /tmp, /var/tmp, /run and /srv are empty, and what is written to /opt is not kept.
"""

import hashlib
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from http.server import ThreadingHTTPServer
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from urllib.parse import parse_qs, unquote, urlsplit

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path.append(str(TOP / "assets/sources"))
from hub import hub  # noqa: E402

ADDRESS = "192.0.2.1"
HOME = Path("/tmp/you")
RUN = Path("/run/user/1000")
PREFIX = Path("/srv/kettle")
PLACE = Path("/srv/.world")
BUDGET_SECONDS = 60

# What every file of the servers has that is nothing else.
DATA = hashlib.sha256(b"kettle").digest() * 8192
DIGEST = hashlib.sha256(DATA).hexdigest()

SET_UP = """
set -eu
ip link set lo up
for address in 192.0.2.1 10.0.0.5; do ip addr add $address/32 dev lo; done
echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start
mount -t tmpfs world /srv
mkdir -p /srv/.world/source /srv/.world/opt /srv/.world/work /srv/kettle/bin /srv/kettle/libexec/kettle
mount --bind "$WORLD_SOURCE" /srv/.world/source
mount -o remount,bind,ro /srv/.world/source
mount -t overlay world -o lowerdir=/opt,upperdir=/srv/.world/opt,workdir=/srv/.world/work /opt
touch /srv/kettle/bin/kettle
mount --bind "$WORLD_PROGRAM" /srv/kettle/bin/kettle
ln -s kettle /srv/kettle/bin/kettle-aria2c
ln -s ../../bin/kettle /srv/kettle/libexec/kettle/kettle-native-host
for folder in /tmp /var/tmp /run; do mount -t tmpfs world $folder; done
mkdir -p -m 700 /run/user /run/user/1000
cd /srv/.world
printf '127.0.0.1 localhost\\n10.0.0.5 %s\\n' "$(uname -n)" >hosts
for name in $WORLD_HOSTS; do echo "192.0.2.1 $name"; done >>hosts
printf 'root:x:0:0::/root:/bin/sh\\n' >passwd
for name in you me seed; do printf '%s:x:1000:1000::/tmp/%s:/bin/sh\\n' $name $name; done >>passwd
for name in hosts passwd; do mount --bind $name /etc/$name; done
mount -o remount,bind,ro /
unshare --user --map-user=1000 --map-group=1000 "$0" "$@"
exit $?
"""


class Failure(Exception):
    pass


def enter(program, hosts, *words):
    """Runs this program again in a world of its own, and ends with its status."""
    environment = dict(os.environ, WORLD_SOURCE=str(TOP), WORLD_PROGRAM=program,
                       WORLD_HOSTS=" ".join(hosts), PYTHONDONTWRITEBYTECODE="1")
    environment["PATH"] += ":/usr/sbin:/sbin"
    script = PLACE / "source" / HERE.relative_to(TOP) / "commands.py"
    os.execvpe("unshare", [
        "unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child",
        "--mount-proc", "sh", "-c", SET_UP, sys.executable, str(script), "--inside", *words], environment)


def run(*words, **options):
    """Runs a program, and returns what it has printed."""
    command = " ".join(map(str, words))
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=BUDGET_SECONDS, **options)
    except subprocess.TimeoutExpired as error:
        raise Failure(f"{command}: no end after {BUDGET_SECONDS} s") from error
    if done.returncode:
        raise Failure(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def await_port(port):
    """Waits until a program listens."""
    end = time.monotonic() + BUDGET_SECONDS
    while time.monotonic() < end:
        try:
            return socket.create_connection((ADDRESS, port)).close()
        except OSError:
            time.sleep(0.02)
    raise Failure(f"nothing listens on port {port}")


# --- Files ----------------------------------------------------------------------------------------


def make_files(folder, machine):
    """Writes what the servers have: a file of each kind, a model, and archives of a release."""
    (folder / "data").write_bytes(DATA)
    (folder / "large").write_bytes(DATA * 12)
    (folder / "playlist.m3u8").write_text(
        "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nsegment.ts\n#EXT-X-ENDLIST\n")
    links = "".join(f'<a href="{name}.bin">{name}.bin</a>\n' for name in "ab")
    (folder / "index").write_text(f"<html><title>Index of /</title><pre>{links}</pre></html>\n")
    (folder / "sums").write_text("".join(f"{DIGEST}  {name}.bin\n" for name in "ab"))
    (folder / "file.meta4").write_text(
        '<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="linked.bin">'
        f'<size>{len(DATA)}</size><hash type="sha-256">{DIGEST}</hash>'
        "<url>https://example.org/linked/data.bin</url></file></metalink>\n")
    with tarfile.open(folder / "file.tar.gz", "w:gz") as archive:
        archive.add(folder / "data", "unpacked.bin")
    with zipfile.ZipFile(folder / "file.zip", "w") as archive:
        archive.write(folder / "data", "unpacked.bin")
    model = folder / "model"
    (model / "onnx").mkdir(parents=True)
    (model / "config.json").write_text("{}\n")
    (model / "onnx/model.onnx").write_text("small\n")
    (model / "model.safetensors").write_bytes(DATA)
    make_release(folder, machine)


def make_release(folder, machine):
    """Packs install.sh with a script that starts the program, as tarball.sh would, and signs the digests."""
    names = {f"kettle-0.1.0-linux-{name}{kind}" for name in ("x86_64", machine) for kind in ("", "-portable")}
    for name in names:
        tree = PLACE / "release" / name
        (tree / "bin").mkdir(parents=True)
        (tree / "bin/kettle").write_text(f'#!/bin/sh\nexec {PREFIX}/bin/kettle "$@"\n')
        (tree / "bin/kettle").chmod(0o755)
        (tree / "bin/kettle-aria2c").symlink_to("kettle")
        (tree / "LINKS").write_text("bin/kettle-aria2c\tkettle\n")
        shutil.copy(TOP / "assets/package/install.sh", tree)
        extension = "share/kettle/webextension/manifest.json"
        (tree / extension).parent.mkdir(parents=True)
        shutil.copy(TOP / "assets/webextension/manifest.json", tree / extension)
        sums = [f"{hashlib.sha256((tree / file).read_bytes()).hexdigest()}  ./{file}\n"
                for file in ("bin/kettle", "install.sh", "LINKS", extension)]
        (tree / "SHA256SUMS").write_text("".join(sums))
        run("tar", "-C", tree.parent, "-cJf", folder / f"{name}.tar.xz", name)
    archives = sorted(f"{name}.tar.xz" for name in names)
    (folder / "SHA256SUMS").write_text(run("sha256sum", *archives, cwd=folder))
    if shutil.which("minisign"):
        run("minisign", "-G", "-W", "-p", folder / "kettle.pub", "-s", PLACE / "minisign.key")
        run("minisign", "-S", "-W", "-s", PLACE / "minisign.key", "-m", folder / "SHA256SUMS", input="\n")


def torrent():
    """Returns a torrent of one piece with a web seed."""
    info = b"d6:lengthi%de4:name8:seed.bin12:piece lengthi%de6:pieces20:%be" % (
        len(DATA), len(DATA), hashlib.sha1(DATA).digest())
    seed = b"https://example.org/seed/seed.bin"
    return b"d4:info%b8:url-list%d:%be" % (info, len(seed), seed)


# --- Servers --------------------------------------------------------------------------------------


FILES = PLACE / "files"
# What the end of a path says of a file.
KINDS = {"/": "index", "/large.bin": "large", ".tar.gz": "file.tar.gz", ".zip": "file.zip",
         ".meta4": "file.meta4", ".m3u8": "playlist.m3u8"}


def origin():
    """Returns the class that answers all requests over HTTP."""
    class Origin(hub(str(FILES / "model"), 1000, "https", "https://cdn.huggingface.co")):
        objects = {}

        def do_GET(self):
            host, path = self.headers["Host"], unquote(urlsplit(self.path).path)
            if host.endswith("huggingface.co"):
                return super().do_GET()
            if host.endswith(".amazonaws.com"):
                return self.answer_object(host.split(".")[0] + path)
            if host == "busy.example.org":
                return self.answer(503, b"", [("Retry-After", "60")])
            if path == "/missing":
                return self.answer(404)
            if path.startswith("/login/") and "Authorization" not in self.headers:
                return self.answer(401, b"", [("WWW-Authenticate", 'Basic realm="files"')])
            if path.startswith("/page/"):
                return self.answer(200, b"<html>not yet</html>", [("Content-Type", "text/html")])
            if path.startswith("/slow/"):
                return self.answer_forever()
            name = os.path.basename(path)
            if path.startswith("/kettle/") and (FILES / name).exists():
                return self.answer_file(FILES / name, '"release"')
            kind = next((kind for end, kind in KINDS.items() if path.endswith(end)), "data")
            kind = "sums" if name == "SHA256SUMS" else kind
            form = [("Content-Type", "text/html")] if kind == "index" else []
            self.answer_file(FILES / kind, f'"{kind}"', form)

        def answer_forever(self):
            """Sends the beginning of a file, and nothing more until the client leaves."""
            self.send_response(200)
            self.send_header("Content-Length", str(len(DATA)))
            self.end_headers()
            self.wfile.write(DATA[:1000])
            self.connection.recv(1)
            self.close_connection = True

        def answer_object(self, key):
            query = parse_qs(urlsplit(self.path).query)
            if "list-type" in query:
                prefix = key + query.get("prefix", [""])[0]
                rows = "".join(
                    f"<Contents><Key>{name.split('/', 1)[1]}</Key><Size>{len(DATA)}</Size></Contents>"
                    for name in (prefix + "a.csv", prefix + "b.csv"))
                xml = f"<ListBucketResult><IsTruncated>false</IsTruncated>{rows}</ListBucketResult>"
                return self.answer(200, xml.encode())
            if self.command == "HEAD" and key not in self.objects:
                return self.answer(404)
            self.answer(200, self.objects.get(key, DATA), [("ETag", '"object"')])

        def do_PUT(self):
            key = self.headers["Host"].split(".")[0] + unquote(urlsplit(self.path).path)
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if key in self.objects and self.headers.get("If-None-Match") == "*":
                return self.answer(412)
            self.objects[key] = body
            self.answer(200, b"", [("ETag", '"object"')])

    return Origin


class FTP(StreamRequestHandler):
    """A server of one file, for a client that resumes nothing."""

    def say(self, text):
        self.wfile.write(f"{text}\r\n".encode())

    def handle(self):
        self.say("220 ready")
        answers = {"USER": "331 password", "PASS": "230 in", "PWD": '257 "/"', "CWD": "250 there",
                   "TYPE": "200 so be it", "SIZE": f"213 {len(DATA)}", "MDTM": "213 20260101000000"}
        for line in self.rfile:
            word = line.decode().split()[0].upper()
            if word == "EPSV":
                listener = ThreadingTCPServer((ADDRESS, 0), StreamRequestHandler).socket
                self.say(f"229 Passive (|||{listener.getsockname()[1]}|)")
            elif word == "RETR":
                self.say("150 here it comes")
                connection, _ = listener.accept()
                with connection:
                    connection.sendall(DATA)
                self.say("226 done")
            elif word == "QUIT":
                return self.say("221 bye")
            else:
                self.say(answers.get(word, "502 unknown"))


def serve(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()


class World:
    """The machine, from inside: its servers, and a home that `make_home` makes anew."""

    def __init__(self, hosts):
        self.count = 0
        PLACE.mkdir(exist_ok=True)
        FILES.mkdir()
        make_files(FILES, os.uname().machine)
        self.certificate, self.key = PLACE / "certificate.pem", PLACE / "key.pem"
        names = ",".join(f"DNS:{name}" for name in hosts)
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-subj", "/CN=world", "-addext", f"subjectAltName={names}", "-days", "30",
            "-keyout", self.key, "-out", self.certificate)
        self.environment = {
            "HOME": str(HOME), "XDG_RUNTIME_DIR": str(RUN), "USER": "you", "LOGNAME": "you",
            "PATH": f"{PREFIX}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8",
            "TERM": "xterm-256color", "TZ": "UTC", "ENV": "", "NO_COLOR": "1", "NO_MOTION": "1",
            "SSL_CERT_FILE": str(self.certificate), "CURL_CA_BUNDLE": str(self.certificate),
            "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1",
        }
        if "LD_LIBRARY_PATH" in os.environ:
            self.environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        self.serve_web()
        self.serve_shell()
        self.serve_database()

    def serve_web(self):
        handler = origin()
        serve(ThreadingHTTPServer((ADDRESS, 80), handler))
        secure = ThreadingHTTPServer((ADDRESS, 443), handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        secure.socket = context.wrap_socket(secure.socket, server_side=True, do_handshake_on_connect=False)
        secure.handle_error = lambda request, address: None
        serve(secure)
        serve(ThreadingTCPServer((ADDRESS, 21), FTP))

    def serve_shell(self):
        """Starts sshd for each machine, and a proxy for SOCKS, which is ssh's."""
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", PLACE / "login")
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", PLACE / "host")
        variables = " ".join(f"{name}={self.environment[name]}" for name in
                             ("PATH", "SSL_CERT_FILE", "LD_LIBRARY_PATH") if name in self.environment)
        (PLACE / "sshd_config").write_text(
            f"ListenAddress {ADDRESS}:22\nHostKey {PLACE}/host\nPidFile none\nUsePAM no\nStrictModes no\n"
            f"AuthorizedKeysFile {PLACE}/login.pub\nSubsystem sftp internal-sftp\n"
            f"SetEnv {variables}\n")
        for name in ("me", "seed"):
            Path("/tmp", name).mkdir()
        sshd = shutil.which("sshd", path=self.environment["PATH"])
        with open(PLACE / "sshd.log", "w") as log:
            subprocess.Popen([sshd, "-D", "-e", "-f", PLACE / "sshd_config"], stderr=log)
        self.make_home()
        await_port(22)
        run("ssh", "-f", "-N", "-D", "127.0.0.1:1080", "example.org", env=self.environment)

    def serve_database(self):
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        programs = found[-1].parent if found else Path(shutil.which("initdb") or "/usr/bin/initdb").parent
        run(programs / "initdb", "-D", PLACE / "database", "-A", "trust", "-U", "postgres", "--no-sync")
        with open(PLACE / "database/pg_hba.conf", "a") as rules:
            rules.write(f"host all all {ADDRESS}/32 trust\n")
        with open(PLACE / "database/postgresql.conf", "a") as settings:
            settings.write(f"listen_addresses = '{ADDRESS}'\nunix_socket_directories = '{PLACE}'\n")
        run(programs / "pg_ctl", "-D", PLACE / "database", "-w", "-l", PLACE / "database.log", "start")
        self.programs = programs
        self.database("createuser", "kettle")
        self.database("createuser", "--superuser", "you")

    def database(self, name, *words):
        run(self.programs / name, "-h", PLACE, "-U", "postgres", *words)

    def make_home(self):
        """Makes the home and the database anew, after the services in them have ended."""
        if HOME.exists():
            for user in ("you", "me", "seed"):
                kept = dict(self.environment, HOME=f"/tmp/{user}")
                if user != "you":
                    del kept["XDG_RUNTIME_DIR"]
                run("kettle", "daemon", "stop", env=kept)
            shutil.rmtree(HOME)
            self.database("dropdb", "--force", "--if-exists", "downloads")
            self.database("createdb", "--owner", "kettle", "downloads")
        for folder in ("Downloads", ".ssh", ".mozilla/firefox", "dir"):
            (HOME / folder).mkdir(parents=True, exist_ok=True)
        (HOME / ".wgetrc").write_text(f"ca_certificate = {self.certificate}\n")
        (HOME / ".ssh/config").write_text(
            f"Host seedbox\n  User seed\nHost *\n  IdentityFile {PLACE}/login\n")
        shutil.copy(PLACE / "login", HOME / ".ssh/id_ed25519")
        shutil.copy(PLACE / "login.pub", HOME / ".ssh/id_ed25519.pub")
        names = (PLACE / "hosts").read_text().split()
        host_key = (PLACE / "host.pub").read_text()
        (HOME / ".ssh/known_hosts").write_text(f"{','.join(names)} {host_key}")
        (HOME / "urls.txt").write_text("https://example.org/list/a.bin\nhttps://example.org/list/b.bin\n")
        (HOME / "cookies.txt").write_text(
            "# Netscape HTTP Cookie File\n.example.org\tTRUE\t/\tFALSE\t0\tK\tV\n")
        (HOME / "file.torrent").write_bytes(torrent())
        for name in ("file.meta4", "kettle.pub"):
            if (FILES / name).exists():
                shutil.copy(FILES / name, HOME)
        for file in FILES.glob("*.tar.xz"):
            shutil.copy(file, HOME)

    def shell(self, script, **values):
        """Runs commands of a shell as the user, and returns what they have printed."""
        if not script:
            return ""
        return run("sh", "-euc", script, env=dict(self.environment, **values), cwd=HOME).strip()

    def succeeds(self, script):
        """Runs commands of a shell as the user, and returns whether they succeed."""
        try:
            self.shell(script)
        except Failure:
            return False
        return True

    def url(self, folder="files", name="data.bin"):
        """Returns a URL that no command has used."""
        self.count += 1
        return f"https://example.org/{folder}/{self.count}/{name}"
