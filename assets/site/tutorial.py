#!/usr/bin/env python3
"""Types the commands of docs/tutorial.md as they stand there, and compares what the page says.

    tutorial.py PROGRAM [--show]

Each line of a block of `sh` is typed into a terminal of 100 columns (tmux) in a home of its own. The
lines of the block of `text` that follows must be on that screen, in this order; numbers and their units
may differ, and /home/you stands for the home. Ports are replaced by free ones. Every command must exit
with 0.
`--show` prints the screens.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
# It shows the status of the command before it.
PROMPT = re.compile(r"^(\d+) ready>", re.M)
BUDGET_SECONDS = 90


class Failure(Exception):
    pass


def blocks(document):
    """Returns what the page has, in order: ("sh", lines), ("text", lines) and ("new", [])."""
    found, kind, lines = [], None, []
    for line in document.splitlines():
        if kind is None and line == "<!-- a new terminal -->":
            found.append(("new", []))
        elif kind is None and line.startswith("```"):
            kind, lines = line[3:], []
        elif kind is not None and line == "```":
            found.append((kind, lines))
            kind = None
        elif kind is not None:
            lines.append(line)
    return found


def free_ports(count):
    """Returns ports that no program listens on at the moment."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def pattern(line):
    """Returns the expression that a line of the page stands for."""
    parts = re.split(r"(\d+(?:[.:]\d+)*|\s+|[━─]+)", line.strip())
    made = ""
    for part in parts:
        if re.fullmatch(r"\d+(?:[.:]\d+)*", part):
            made += r"[\d.:]+"
        elif re.fullmatch(r"\s+", part):
            made += r"\s+"
        elif re.fullmatch(r"[━─]+", part):
            made += r"[━─╸╺╌ ]*"
        else:
            made += re.sub("[KMG](?=iB)", "[KMG]", re.escape(part))
    return re.compile(made)


class Terminals:
    """A tmux server in a home of its own; each window is a terminal."""

    def __init__(self, program):
        # Short, because the path of a socket must be short.
        self.home = tempfile.mkdtemp(prefix="kettle-", dir="/tmp")
        os.makedirs(self.home + "/bin")
        os.makedirs(self.home + "/run", mode=0o700)
        os.symlink(program, self.home + "/bin/kettle")
        self.environment = {
            "HOME": self.home, "XDG_RUNTIME_DIR": self.home + "/run", "LANG": "C.UTF-8",
            "TERM": "xterm-256color", "PATH": self.home + "/bin:/usr/local/bin:/usr/bin:/bin",
            "TZ": "UTC", "ENV": "", "NO_COLOR": "1",
        }
        if "LD_LIBRARY_PATH" in os.environ:
            self.environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        self.count = 0

    def tmux(self, *words):
        command = ["tmux", "-S", self.home + "/tmux", "-f", "/dev/null", *words]
        made = subprocess.run(command, env=self.environment, cwd=self.home, capture_output=True,
                              text=True, check=False)
        if made.returncode:
            raise Failure(f"tmux {words[0]}: {made.stderr.strip()}")
        return made.stdout

    def open(self):
        """Opens a terminal and returns its name."""
        self.count += 1
        name = f"t{self.count}"
        self.tmux("new-session", "-d", "-s", name, "-x", "100", "-y", "50",
                  "env", "PS1=$? ready> ", "sh")
        self.wait(name, PROMPT.search)
        return name

    def close(self, name):
        self.tmux("kill-session", "-t", name)

    def type(self, name, line):
        self.tmux("send-keys", "-t", name, "-l", line)
        self.tmux("send-keys", "-t", name, "Enter")

    def screen(self, name):
        # The history too, with lines joined that the terminal has wrapped.
        return self.tmux("capture-pane", "-p", "-J", "-S", "-", "-t", name)

    def wait(self, name, is_wanted):
        deadline = time.monotonic() + BUDGET_SECONDS
        while time.monotonic() < deadline:
            screen = self.screen(name)
            if is_wanted(screen):
                return screen
            time.sleep(0.1)
        raise Failure(f"This screen never showed what was wanted:\n{self.screen(name)}")

    def end(self):
        subprocess.run([self.home + "/bin/kettle", "daemon", "stop"], env=self.environment,
                       capture_output=True, check=False)
        subprocess.run(["tmux", "-S", self.home + "/tmux", "kill-server"], env=self.environment,
                       capture_output=True, check=False)
        shutil.rmtree(self.home, ignore_errors=True)


class Reader:
    """Somebody who follows the page."""

    def __init__(self, terminals, show):
        self.terminals = terminals
        self.show = show
        self.work = None
        self.said = ""
        self.commands = 0

    def run(self, line):
        """Types a line and waits until it has ended."""
        if line.startswith("kettle demo --serve"):
            window = self.terminals.open()
            self.terminals.type(window, line)
            self.said = self.terminals.wait(window, lambda screen: "Ctrl-C ends it" in screen)
        else:
            self.work = self.work or self.terminals.open()
            self.said += self.result(line)
        self.commands += 1

    def result(self, line):
        """Types a line and returns what it has printed."""
        before = len(PROMPT.findall(self.terminals.screen(self.work)))
        self.terminals.type(self.work, line)
        if line == "kettle":
            self.terminals.wait(self.work, lambda screen: " leave" in screen)
            self.terminals.tmux("send-keys", "-t", self.work, "-l", "q")
        screen = self.terminals.wait(
            self.work, lambda screen: len(PROMPT.findall(screen)) == before + 1)
        printed = PROMPT.split(screen)[-3].split("\n", 1)[1]
        if self.show:
            print(f"$ {line}\n{printed.rstrip()}\n")
        status = PROMPT.findall(screen)[-1]
        if status != "0":
            raise Failure(f"\"{line}\" exited with {status}:\n{printed}")
        return printed

    def compare(self, lines):
        rest = self.said
        for line in lines:
            found = pattern(line).search(rest)
            if not found:
                raise Failure(f"The page says \"{line.strip()}\", but the terminal:\n{self.said}")
            rest = rest[found.end():]


def main(program, show):
    ports = dict(zip(("8017", "8018", "6800"), map(str, free_ports(3))))
    page = (TOP / "docs/tutorial.md").read_text(encoding="utf-8")
    terminals = Terminals(program)
    reader = Reader(terminals, show)
    began = time.monotonic()
    try:
        for kind, lines in blocks(page):
            if kind == "new":
                terminals.close(reader.work)
                reader.work = None
                # A person does not open one sooner, and bytes arrive meanwhile.
                time.sleep(3)
            elif kind == "sh":
                reader.said = ""
                for line in lines:
                    line = re.sub(r"\b(8017|8018)\b", lambda m: ports[m.group(1)], line)
                    line = line.replace("rpc enable", f"rpc enable --port {ports['6800']}")
                    reader.run(line)
            elif kind == "text":
                reader.compare([line.replace("/home/you", terminals.home) for line in lines])
            else:
                raise Failure(f"A block of \"{kind}\" is neither typed nor compared")
    finally:
        terminals.end()
    if reader.commands < 15:
        raise Failure(f"The page has only {reader.commands} commands")
    print(f"tutorial: {reader.commands} commands typed in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    try:
        main(os.path.realpath(sys.argv[1]), "--show" in sys.argv[2:])
    except Failure as failure:
        sys.exit(f"tutorial: {failure}")
