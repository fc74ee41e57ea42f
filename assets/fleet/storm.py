#!/usr/bin/env python3
"""Runs several services as hosts of one fleet, each in a network namespace of its own, and lets
them download from origins that log every request, while it kills and stops services, cuts cables,
fills disks and crashes the database.

    assets/fleet/storm.py PROGRAM [--transfers N] [--hosts N] [--origins N] [--seconds N] [--seed N]
    assets/fleet/storm.py PROGRAM --calm [--hosts N] [--pause SECONDS]

In the end every file must be there once and right, and no host may have asked an origin while
another healthy host had a request there. Then it damages files and lets the fleet repair them.
Needs root (for namespaces and disks), PostgreSQL and iproute2.
"""

import argparse
import asyncio
import hashlib
import json
import os
import pathlib
import pwd
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

LEASE = 6.0


def say(text):
    print(f"fleet: {text}", flush=True)


def run(*words, check=True, **options):
    done = subprocess.run(words, capture_output=True, text=True, **options)
    if check and done.returncode != 0:
        raise SystemExit(f"fleet: {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def content(path):
    """The bytes of a file follow from its path: up to 24 KiB."""
    seed = hashlib.sha256(path.encode()).digest()
    return (seed * 800)[: 200 + int.from_bytes(seed[:2], "big") % 24_000]


def make_disk(directory, size):
    directory.mkdir()
    run("mount", "-t", "tmpfs", "-o", f"size={size}", "kettle-fleet", str(directory))
    return directory


class Origin:
    """An HTTP server that logs who asks what, and when."""

    def __init__(self, port, pause):
        self.port, self.pause = port, pause
        self.log = []  # [start, end or None, address, path]

    async def serve(self, reader, writer):
        address = writer.get_extra_info("peername")[0]
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split(b" ")[1].decode()
                entry = [time.monotonic(), None, address, path]
                self.log.append(entry)
                try:
                    if self.pause:
                        await asyncio.sleep(self.pause)
                    body = content(path)
                    writer.write(
                        b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nETag: \"%s\"\r\n\r\n"
                        % (len(body), hashlib.md5(path.encode()).hexdigest().encode())
                    )
                    if not head.startswith(b"HEAD"):
                        writer.write(body)
                    await writer.drain()
                finally:
                    entry[1] = time.monotonic()
        except (asyncio.IncompleteReadError, ConnectionError, OSError):
            pass
        finally:
            writer.close()


class Origins(threading.Thread):
    def __init__(self, address, count, pause):
        super().__init__(daemon=True)
        self.address = address
        self.origins = [Origin(9000 + number, pause) for number in range(count)]
        self.ready = threading.Event()

    def run(self):
        asyncio.run(self.serve())

    async def serve(self):
        for origin in self.origins:
            await asyncio.start_server(origin.serve, self.address, origin.port, backlog=512)
        self.ready.set()
        await asyncio.Event().wait()


class Database:
    """A PostgreSQL of its own, which listens on a socket and on the bridge."""

    def __init__(self, home):
        self.directory = home / "database"
        self.user = "postgres" if "postgres" in {p.pw_name for p in pwd.getpwall()} else "nobody"
        found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not found:
            raise SystemExit("fleet: PostgreSQL is not installed")
        self.bin = found[-1].parent
        self.directory.mkdir()
        shutil.chown(self.directory, self.user)
        self.command("initdb", "-D", self.directory / "data", "-A", "trust", "-U", "fleet")
        with open(self.directory / "data/pg_hba.conf", "a") as rules:
            rules.write("host all all 10.77.0.0/24 trust\n")
        with open(self.directory / "data/postgresql.conf", "a") as settings:
            settings.write(
                f"listen_addresses = '10.77.0.1'\nunix_socket_directories = '{self.directory}'\n"
            )
        self.start()
        self.sql("create database downloads", database="postgres")

    def command(self, name, *words, check=True):
        return run(
            "setpriv", f"--reuid={self.user}", "--regid=nogroup", "--clear-groups",
            str(self.bin / name), *map(str, words), check=check, cwd="/",
        )

    def control(self, *words, check=True):
        # With a log file; pg_ctl would keep a pipe open.
        self.command("pg_ctl", "-D", self.directory / "data", "-w", "-t", "60",
                     "-l", self.directory / "log", *words, check=check)

    def start(self):
        self.control("start")

    def crash(self):
        self.control("-m", "immediate", "restart", check=False)

    def stop(self):
        self.control("-m", "immediate", "stop", check=False)

    def sql(self, text, database="downloads"):
        return run(
            str(self.bin / "psql"), "-h", str(self.directory), "-U", "fleet", "-d", database, "-qtAc", text,
        ).strip()


class Host:
    """A service in a network namespace."""

    def __init__(self, number, program, home, share):
        self.number, self.program = number, program
        self.name = f"h{number}"
        self.address = f"10.77.0.{10 + number}"
        self.home = make_disk(home / self.name, "256m")
        (self.home / "run").mkdir(mode=0o700)
        self.share = share
        self.service = None
        self.faults = []  # [begin, end or None]
        run("ip", "netns", "add", self.name)
        run("ip", "link", "add", f"v{number}", "type", "veth", "peer", "name", "eth0", "netns", self.name)
        run("ip", "link", "set", f"v{number}", "master", "bridge0", "up")
        self.inside("ip", "addr", "add", f"{self.address}/24", "dev", "eth0")
        self.inside("ip", "link", "set", "eth0", "up")
        self.inside("ip", "link", "set", "lo", "up")

    def environment(self):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "KETTLE_"))}
        return kept | {"HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.home / "run")}

    def inside(self, *words, check=True):
        return run("ip", "netns", "exec", self.name, *words, check=check, env=self.environment())

    def kettle(self, *words, check=True):
        return self.inside(str(self.program), *words, check=check)

    def start(self):
        log = open(self.home / "service.out", "a")
        self.service = subprocess.Popen(
            ["ip", "netns", "exec", self.name, str(self.program), "daemon", "run"],
            env=self.environment(), stdout=log, stderr=log,
        )

    def begin_fault(self):
        self.faults.append([time.monotonic(), None])

    def end_fault(self):
        if self.faults and self.faults[-1][1] is None:
            self.faults[-1][1] = time.monotonic()

    def kill(self):
        self.begin_fault()
        self.service.kill()
        self.service.wait()

    def was_faulty(self, begin, end):
        """Whether it was at fault at some time, or not long enough before to have its lease."""
        return any(b <= end and (e is None or e + 2 * LEASE >= begin) for b, e in self.faults)


class Storm:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="kettle-fleet-"))
        self.home.chmod(0o755)
        self.share = make_disk(self.home / "share", "4g")
        self.hosts, self.database = [], None
        self.counts = dict.fromkeys(("kills", "stops", "cuts", "full disks", "crashes"), 0)

    def prepare(self):
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "bridge0", "type", "bridge")
        run("ip", "addr", "add", "10.77.0.1/24", "dev", "bridge0")
        run("ip", "link", "set", "bridge0", "up")
        self.origins = Origins("10.77.0.1", self.options.origins, self.options.pause)
        self.origins.start()
        self.origins.ready.wait(10)
        self.database = Database(self.home)
        for number in range(self.options.hosts):
            host = Host(number, self.options.program, self.home, self.share)
            self.hosts.append(host)
            host.start()
        address = "postgresql://fleet@10.77.0.1/downloads"
        self.hosts[0].kettle("fleet", "init", address)
        self.database.sql(f"update kettle.meta set lease_ms = {int(LEASE * 1000)}")
        # A machine that joins under another name, or by another address, leaves first.
        self.hosts[0].kettle("fleet", "join", address, "--name", self.hosts[0].name)
        self.hosts[0].kettle("fleet", "join", address, "--name", "guest")
        self.hosts[0].kettle("fleet", "join", "host=10.77.0.1 user=fleet dbname=downloads", "--name", "guest")
        for host in self.hosts:
            host.kettle("fleet", "join", address, "--name", host.name, "--take", str(self.options.take),
                        "--root", str(self.share))
        begun = time.monotonic()
        while self.names() != [host.name for host in self.hosts]:
            if time.monotonic() - begun > 20:
                raise SystemExit(f"fleet: the machines are {self.names()}")
            time.sleep(0.1)

    def names(self):
        return sorted(self.database.sql("select name from kettle.host where left_at is null").split())

    def add(self):
        names = [
            f"http://10.77.0.1:{9000 + number % self.options.origins}/f{number:06}.bin"
            for number in range(self.options.transfers)
        ]
        listed = self.home / "urls"
        listed.write_text("\n".join(names) + "\n")
        begun = time.monotonic()
        self.hosts[0].kettle("add", "--fleet", "-d", str(self.share), "-i", str(listed))
        say(f"added {len(names)} transfers in {time.monotonic() - begun:.1f} s")

    def completed(self):
        try:
            return int(self.database.sql("select count(*) from kettle.transfer where state = 3") or 0)
        except SystemExit:
            return -1

    def rage(self):
        end = time.monotonic() + self.options.seconds
        while time.monotonic() < end:
            time.sleep(self.random.uniform(0.5, 3))
            host = self.random.choice(self.hosts)
            kind = self.random.choices(tuple(self.counts), (6, 4, 3, 2, 1))[0]
            if host.service.poll() is not None:
                host.start()
            self.counts[kind] += 1
            if kind == "kills":
                host.kill()
                time.sleep(self.random.uniform(0, 2))
                host.start()
                host.end_fault()
            elif kind == "stops":
                host.begin_fault()
                host.service.send_signal(signal.SIGSTOP)
                time.sleep(self.random.choice((1, LEASE + self.random.uniform(1, 4))))
                host.service.send_signal(signal.SIGCONT)
                host.end_fault()
            elif kind == "cuts":
                host.begin_fault()
                run("ip", "link", "set", f"v{host.number}", "down")
                time.sleep(self.random.choice((1, LEASE + self.random.uniform(1, 6))))
                run("ip", "link", "set", f"v{host.number}", "up")
                host.end_fault()
            elif kind == "full disks":
                self.fill(self.random.choice((self.share, host.home)))
            else:
                self.database.crash()
        say("storm: " + ", ".join(f"{count} {kind}" for kind, count in self.counts.items()))

    def fill(self, directory):
        """Leaves no free byte on a disk for a few seconds."""
        ballast = directory / ".ballast"
        with open(ballast, "wb", buffering=0) as file:
            try:
                while file.write(bytes(1 << 16)):
                    pass
            except OSError:
                pass
            finally:
                time.sleep(self.random.uniform(0.5, 4))
                ballast.unlink()

    def wait(self):
        """Waits until all have ended. A full disk made some of them fail; users start those again."""
        last, since = -1, time.monotonic()
        while True:
            count = self.completed()
            if count == self.options.transfers:
                return
            if count != last:
                last, since = count, time.monotonic()
            if self.counts["full disks"] > 0 and time.monotonic() - since > 3:
                self.hosts[0].kettle("start", "--fleet", "--all", check=False)
            if time.monotonic() - since > 120:
                states = self.database.sql("select state, count(*) from kettle.transfer group by 1")
                raise SystemExit(f"fleet: nothing has ended for two minutes; states: {states!r}")
            time.sleep(0.5)

    def check_files(self):
        there = sorted(entry.name for entry in self.share.iterdir() if not entry.name.startswith("."))
        wanted = [f"f{number:06}.bin" for number in range(self.options.transfers)]
        if there != wanted:
            extra = sorted(set(there) - set(wanted))[:5]
            missing = sorted(set(wanted) - set(there))[:5]
            raise SystemExit(f"fleet: {len(there)} files; beyond the list {extra}, missing {missing}")
        for name in wanted:
            if (self.share / name).read_bytes() != content("/" + name):
                raise SystemExit(f"fleet: {name} is wrong")
        published = self.database.sql(
            "select count(*), count(distinct name) from kettle.transfer where state = 3")
        count, names = published.split("|")
        if int(count) != self.options.transfers or int(names) != self.options.transfers:
            raise SystemExit(f"fleet: {published} published")
        say(f"{count} published once, none lost or wrong")

    def until_all_live(self):
        """Waits for the first beats of services that were killed in the end."""
        alive = "select count(*) from kettle.host where left_at is null and alive_until > now()"
        begun = time.monotonic()
        while int(self.database.sql(alive)) < len(self.hosts):
            if time.monotonic() - begun > 30:
                raise SystemExit("fleet: a machine does not come back")
            time.sleep(0.1)

    def verify(self, ids):
        """What the hosts find; the command exits with 1 for damaged files."""
        words = [self.options.program, "verify", "--fleet", "--json", *ids]
        host = self.hosts[0]
        done = subprocess.run(["ip", "netns", "exec", host.name, *map(str, words)],
                              capture_output=True, text=True, env=host.environment())
        if done.returncode > 1 or not done.stdout:
            raise SystemExit(f"fleet: verify: {done.returncode} {done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def check_repair(self):
        """Damaged files are found and fetched again by the hosts that have them."""
        rows = self.database.sql(
            "select id, name from kettle.transfer where state = 3 and proof ? 'blocks'"
            " order by random() limit 60").split("\n")
        ids, damaged = [row.split("|")[0] for row in rows], rows[:7]
        for row in damaged:
            path = self.share / row.split("|")[1]
            times = path.stat()
            with open(path, "r+b") as file:
                byte = file.read(1)[0]
                file.seek(0)
                file.write(bytes([byte ^ 1]))
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.until_all_live()
        begun = time.monotonic()
        found = self.verify(ids)
        wrong = [one["path"] for one in found if one["result"] == "damaged"]
        if len(wrong) != len(damaged) or len(found) != len(ids):
            raise SystemExit(f"fleet: {len(wrong)} of {len(found)} files are damaged: {found[:8]}")
        odd = [one for one in found if one["result"] not in ("intact", "damaged")]
        if odd:
            raise SystemExit(f"fleet: {odd}")
        middle = time.monotonic()
        self.hosts[0].kettle("repair", "--fleet", *ids, check=False)
        self.check_files()
        say(f"{len(ids)} files compared by their hosts in {middle - begun:.1f} s, and {len(damaged)}"
            f" damaged ones fetched again in {time.monotonic() - middle:.1f} s")

    def check_requests(self):
        by_address = {host.address: host for host in self.hosts}
        requests = overlapping = 0
        for origin in self.origins.origins:
            running = []
            for entry in sorted(origin.log):
                start, _, address, path = entry
                requests += 1
                running = [r for r in running if (r[1] is None or r[1] > start)]
                for other in running:
                    if other[2] == address:
                        continue
                    overlapping += 1
                    if by_address[other[2]].was_faulty(other[0], start):
                        continue
                    raise SystemExit(
                        f"fleet: {address} asked port {origin.port} for {path} while {other[2]}"
                        f" asked for {other[3]} ({start - other[0]:.3f} s before)")
                running.append(entry)
        say(f"{requests} requests, never two healthy hosts at one origin"
            f" ({overlapping} beside what a stopped or cut host had under way)")

    def check_takeover(self):
        """A dead host's work goes on within its lease and a second."""
        victim, heir = self.hosts[0], self.hosts[1]
        for host in self.hosts[2:]:
            host.kettle("fleet", "leave")
        origin = self.origins.origins[0]
        pause, origin.pause = origin.pause, 0.2
        names = [f"http://10.77.0.1:{origin.port}/t{number:04}.bin" for number in range(200)]
        seen = len(origin.log)
        victim.kettle("add", "--fleet", "-d", str(self.share), *names)
        begun = time.monotonic()
        while not any(entry[2] in (victim.address, heir.address) for entry in origin.log[seen:]):
            if time.monotonic() - begun > 30:
                raise SystemExit("fleet: nobody begins")
            time.sleep(0.01)
        if origin.log[-1][2] != victim.address:
            victim, heir = heir, victim
        time.sleep(1)
        killed = time.monotonic()
        victim.kill()
        while not any(e[0] > killed and e[2] == heir.address for e in origin.log[seen:]):
            if time.monotonic() - killed > 4 * LEASE:
                raise SystemExit("fleet: nobody takes the work of a dead host")
            time.sleep(0.01)
        first = min(e[0] for e in origin.log[seen:] if e[0] > killed and e[2] == heir.address)
        origin.pause = pause
        say(f"the work of a dead host went on after {first - killed:.2f} s (lease {LEASE:.0f} s)")
        if first - killed > LEASE + 1:
            raise SystemExit("fleet: that is too late")

    def run(self):
        try:
            self.prepare()
            self.add()
            begun = time.monotonic()
            if not self.options.calm:
                self.rage()
            for host in self.hosts:
                if host.service.poll() is not None:
                    host.start()
            self.wait()
            seconds = time.monotonic() - begun
            say(f"all ended {seconds:.0f} s after the first")
            self.check_files()
            self.check_requests()
            if self.options.calm:
                return say(f"{len(self.hosts)} hosts: {self.options.transfers / seconds:.0f} files a second")
            self.check_repair()
            self.check_takeover()
            say("everything passed")
        except BaseException:
            self.keep()
            raise
        finally:
            for host in self.hosts:
                if host.service and host.service.poll() is None:
                    host.service.kill()
            if self.database:
                self.database.stop()
            for directory in [self.share] + [host.home for host in self.hosts]:
                if not self.options.keep:
                    run("umount", "-l", str(directory), check=False)
            if not self.options.keep:
                shutil.rmtree(self.home, ignore_errors=True)

    def keep(self):
        self.options.keep = True
        say(f"seed {self.options.seed}; logs stay in {self.home}")


def isolate():
    """Begins again in a network and a table of mounts of its own: nothing of the machine's changes."""
    if os.environ.get("KETTLE_FLEET_INSIDE") != "1":
        os.environ["KETTLE_FLEET_INSIDE"] = "1"
        os.execvp("unshare", ["unshare", "--net", "--mount", sys.executable, *sys.argv])
    pathlib.Path("/run/netns").mkdir(exist_ok=True)
    run("mount", "-t", "tmpfs", "none", "/run/netns")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--transfers", type=int, default=4000)
    parser.add_argument("--hosts", type=int, default=4)
    parser.add_argument("--origins", type=int, default=6)
    parser.add_argument("--take", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--calm", action="store_true", help="disturb nothing, and say how fast it is")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    isolate()
    Storm(options).run()


if __name__ == "__main__":
    main()
