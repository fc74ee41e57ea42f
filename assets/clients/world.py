"""A service of Kettle in a throw-away home with its RPC open, and an origin to download from."""

import hashlib
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

SMALL = bytes(range(256)) * 400
BIG = hashlib.sha256(b"kettle").digest() * 500_000


class Origin(http.server.BaseHTTPRequestHandler):
    """/small.bin, /big.bin at about 4 MB/s, and /checked.bin, which needs a header."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        body = {"/small.bin": SMALL, "/big.bin": BIG, "/video.mp4": BIG, "/checked.bin": SMALL}.get(
            self.path)
        if self.path == "/checked.bin" and self.headers.get("X-Ticket") != "17":
            body = None
        if body is None:
            self.send_error(404)
            return
        first, status = 0, 200
        wanted = self.headers.get("Range")
        if wanted and wanted.startswith("bytes="):
            start, _, end = wanted[6:].partition("-")
            first, status = int(start), 206
            last = int(end) + 1 if end else len(body)
        else:
            last = len(body)
        self.send_response(status)
        self.send_header("Content-Length", str(last - first))
        self.send_header("Accept-Ranges", "bytes")
        if self.path.endswith(".mp4"):
            self.send_header("Content-Type", "video/mp4")
        self.send_header("ETag", '"1"')
        if status == 206:
            self.send_header("Content-Range", f"bytes {first}-{last - 1}/{len(body)}")
        self.end_headers()
        if self.command == "HEAD":
            return
        try:
            for offset in range(first, last, 40_000):
                self.wfile.write(body[offset:min(offset + 40_000, last)])
                if body is BIG:
                    time.sleep(0.01)
        except OSError:
            pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        pass


class World:
    def __init__(self, program):
        self.home = tempfile.mkdtemp(prefix="kclient-")
        run = os.path.join(self.home, "run")
        os.mkdir(run, 0o700)
        self.program = program
        self.environment = {
            "HOME": self.home, "XDG_RUNTIME_DIR": run, "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8", "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""),
        }
        self.server = Server(("127.0.0.1", 0), Origin)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.port = free_port()
        self.kettle("rpc", "enable", "--port", str(self.port))
        self.secret = self.kettle("rpc", "secret").strip()
        self.downloads = os.path.join(self.home, "Downloads")

    def kettle(self, *arguments):
        done = subprocess.run(
            [self.program, *arguments], env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"kettle {' '.join(arguments)}: {done.returncode} {done.stderr}")
        return done.stdout

    def call(self, method, *parameters):
        """Calls a method as a client would. Returns None if it is refused."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method,
                   "params": ["token:" + self.secret, *parameters]}
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/jsonrpc", json.dumps(message).encode())
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)["result"]
        except urllib.error.HTTPError:
            return None

    def close(self):
        subprocess.run([self.program, "daemon", "stop"], env=self.environment, capture_output=True)
        self.server.shutdown()
        shutil.rmtree(self.home, ignore_errors=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(what, condition, seconds=30):
    """Waits until a condition holds, and returns its value."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise SystemExit(f"FAILED: {what}")


def check(what, condition):
    if not condition:
        raise SystemExit(f"FAILED: {what}")
    print(f"  ok: {what}")


def run(body):
    """Runs a client's test with the program in the first argument."""
    world = World(sys.argv[1])
    try:
        body(world)
    finally:
        world.close()
