#!/usr/bin/env python3
"""Lets several services fetch a file that all of them want: one from the origin, the others from it.

    assets/fleet/share.py PROGRAM [--hosts N] [--size BYTES] [--keep]

The log of the origin decides: it must have given each byte once. Then a machine is killed while it
gives a file to the others, which must get it all the same. Needs what storm.py needs.
"""

import argparse
import asyncio
import pathlib
import random
import re
import shutil
import tempfile
import threading
import time

from storm import LEASE, Database, Host, isolate, run, say


class Origin(threading.Thread):
    """An HTTP server with ranges that logs which bytes it gave to whom."""

    def __init__(self, size):
        super().__init__(daemon=True)
        self.contents = {f"/{name}.bin": random.Random(name).randbytes(size) for name in ("once", "again")}
        self.log = []  # [address, path, first, end of what was sent]
        self.ready = threading.Event()

    def run(self):
        asyncio.run(self.listen())

    async def listen(self):
        await asyncio.start_server(self.serve, "10.77.0.1", 9000)
        self.ready.set()
        await asyncio.Event().wait()

    async def serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                method, path = head.split(" ")[:2]
                body = self.contents[path]
                asked = re.search(r"(?im)^range: bytes=(\d+)-(\d*)", head)
                first = int(asked[1]) if asked else 0
                end = min(int(asked[2]) + 1, len(body)) if asked and asked[2] else len(body)
                status = "206 Partial Content" if asked else "200 OK"
                more = f"Content-Range: bytes {first}-{end - 1}/{len(body)}\r\n" if asked else ""
                writer.write(
                    f"HTTP/1.1 {status}\r\nContent-Length: {end - first}\r\nETag: \"{path}\"\r\n"
                    f"Accept-Ranges: bytes\r\n{more}\r\n".encode())
                if method == "HEAD":
                    continue
                entry = [writer.get_extra_info("peername")[0], path, first, first]
                self.log.append(entry)
                while entry[3] < end:
                    piece = body[entry[3]:min(end, entry[3] + (64 << 10))]
                    writer.write(piece)
                    await writer.drain()
                    entry[3] += len(piece)
        except (asyncio.IncompleteReadError, ConnectionError, OSError):
            pass
        finally:
            writer.close()

    def given(self, path):
        return sorted(entry for entry in self.log if entry[1] == path)


class Sharing:
    def __init__(self, options):
        self.options = options
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="kettle-share-"))
        self.home.chmod(0o755)
        self.hosts, self.database = [], None

    def prepare(self):
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "bridge0", "type", "bridge")
        run("ip", "addr", "add", "10.77.0.1/24", "dev", "bridge0")
        run("ip", "link", "set", "bridge0", "up")
        self.origin = Origin(self.options.size)
        self.origin.start()
        self.origin.ready.wait(10)
        self.database = Database(self.home)
        for number in range(self.options.hosts):
            host = Host(number, self.options.program, self.home, None)
            host.files = self.home / f"files{number}"
            host.files.mkdir()
            self.hosts.append(host)
            host.start()
        address = "postgresql://fleet@10.77.0.1/downloads"
        self.hosts[0].kettle("fleet", "init", address)
        self.database.sql(f"update kettle.meta set lease_ms = {int(LEASE * 1000)}")
        for host in self.hosts:
            host.kettle("fleet", "join", address, "--name", host.name, "--root", str(host.files),
                        "--share", f"{host.address}:7070")

    def add(self, name):
        begun = time.monotonic()
        # One connection, so that no byte is asked for twice when the file is divided.
        ids = self.hosts[0].kettle(
            "add", "--fleet", "--on", "all", "--connections", "1", f"http://10.77.0.1:9000/{name}.bin").split()
        if len(ids) != len(self.hosts):
            raise SystemExit(f"fleet: {len(ids)} copies for {len(self.hosts)} machines")
        return begun

    def rows(self):
        """The state, the machine and the supplier of each copy that is not removed."""
        text = self.database.sql(
            "select t.on_label, t.state, s.name from kettle.transfer t left join kettle.host s"
            " on s.id = t.supplier order by t.id")
        return [line.split("|") for line in text.splitlines()]

    def wait(self, what, condition, seconds=120):
        begun = time.monotonic()
        while not condition():
            if time.monotonic() - begun > seconds:
                raise SystemExit(f"fleet: no end of waiting for {what}; {self.rows()}")
            time.sleep(0.05)
        return time.monotonic() - begun

    def check_files(self, name, hosts):
        for host in hosts:
            there = sorted(entry.name for entry in host.files.iterdir() if not entry.name.startswith("."))
            if f"{name}.bin" not in there:
                raise SystemExit(f"fleet: {host.name} has {there}")
            if (host.files / f"{name}.bin").read_bytes() != self.origin.contents[f"/{name}.bin"]:
                raise SystemExit(f"fleet: {name}.bin of {host.name} is wrong")

    def check_once(self):
        begun = self.add("once")
        self.wait("the copies", lambda: all(row[1] == "3" for row in self.rows()))
        seconds = time.monotonic() - begun
        self.check_files("once", self.hosts)
        at = 0
        given = self.origin.given("/once.bin")
        for address, _, first, end in sorted(given, key=lambda entry: entry[2]):
            if first != at:
                raise SystemExit(f"fleet: the origin gave {given}")
            at = end
        if at != self.options.size or len({entry[0] for entry in given}) != 1:
            raise SystemExit(f"fleet: the origin gave {given}")
        say(f"{len(self.hosts)} machines have {self.options.size} bytes after {seconds:.1f} s; the origin gave "
            f"each byte once, in {len(given)} requests of {given[0][0]}")
        say("copies (machine, state, supplier): " + ", ".join("/".join(row) for row in self.rows()))

    def check_refusals(self):
        """Without the secret nothing is given."""
        host = self.hosts[0]
        for words in ([], ["-H", "Authorization: Bearer wrong-secret"]):
            status = self.hosts[1].inside(
                "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", *words,
                f"http://{host.address}:7070/fleet/1")
            if status != "401":
                raise SystemExit(f"fleet: the endpoint answered {status}")
        secret = self.database.sql("select share_secret from kettle.meta")
        for target, wanted in (("/fleet/999", "404"), ("/etc/passwd", "404"), ("/fleet/../../etc/passwd", "404")):
            status = self.hosts[1].inside(
                "curl", "-s", "--path-as-is", "-o", "/dev/null", "-w", "%{http_code}", "-H",
                f"Authorization: Bearer {secret}", f"http://{host.address}:7070{target}")
            if status != wanted:
                raise SystemExit(f"fleet: the endpoint answered {status} for {target}")
        say("the endpoint gives nothing without the secret, and nothing but files of the fleet")

    def check_death(self):
        """The machine that gives the file dies meanwhile."""
        self.database.sql("delete from kettle.transfer")
        for host in self.hosts:
            host.kettle("fleet", "limit", "8M")
        self.add("again")
        self.wait("a copy from a machine", lambda: any(
            row[1] == "1" and len(row) > 2 and row[2] for row in self.rows()))
        supplier = next(row[2] for row in self.rows() if row[1] == "1" and row[2])
        victim = next(host for host in self.hosts if host.name == supplier)
        time.sleep(0.5)
        victim.kill()
        killed = time.monotonic()
        left = [host for host in self.hosts if host is not victim]
        left[0].kettle("fleet", "limit", "none")
        names = {host.name for host in left}
        self.wait("the others", lambda: all(row[1] == "3" for row in self.rows() if row[0] in names))
        self.check_files("again", left)
        addresses = [entry[0] for entry in self.origin.given("/again.bin")]
        say(f"{supplier} was killed while it gave the file; the others have it {time.monotonic() - killed:.1f} s "
            f"later (lease {LEASE:.0f} s); requests at the origin: {addresses}")

    def run(self):
        try:
            self.prepare()
            self.check_once()
            self.check_refusals()
            self.check_death()
            say("everything passed")
        except BaseException:
            self.options.keep = True
            say(f"logs stay in {self.home}")
            raise
        finally:
            for host in self.hosts:
                if host.service and host.service.poll() is None:
                    host.service.kill()
            if self.database:
                self.database.stop()
            if not self.options.keep:
                shutil.rmtree(self.home, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--hosts", type=int, default=3)
    parser.add_argument("--size", type=int, default=50_000_000)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    isolate()
    Sharing(options).run()


if __name__ == "__main__":
    main()
