#!/usr/bin/env python3
"""Runs every command of the pages of the site, as they stand there, in a world of its own.

    commands.py PROGRAM [--show] [PAGE]...

The lines of blocks of `sh`, those of blocks without a language that start a program, and what starts with
`kettle` in sentences and tables are typed into a terminal. Names in capitals and ids get a value before.
Each command must exit with 0, unless cases.py names another status, and what it adds must complete. LEFT in
cases.py has what is not run, and why; a line that is neither run nor in LEFT is a failure, and so is an
entry that no line needs. First it reads a page of wrong commands, and fails if it does not notice them.

docs/tutorial.md is run by tutorial.py. `--show` prints what the terminal shows. Needs namespaces of users,
iproute2, OpenSSH, openssl, PostgreSQL and what the pages use together with Kettle.
"""

import collections
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import sys
import termios
import time

sys.dont_write_bytecode = True
import build  # noqa: E402
import world  # noqa: E402
from cases import CASES, ID, LEFT, NAMED_ONLY, SUBJECTS, VALUES, WAITS, Case  # noqa: E402
from world import TOP, Failure  # noqa: E402

# tutorial.py has its own page. The others tell what was, or what was decided against.
OMITTED = ("docs/tutorial.md", "CHANGELOG.md", "docs/decisions/README.md")
PAGES = [page for _, pages in build.MENU for page, _ in pages if page.endswith(".md") and page not in OMITTED]

COMMAND_SECONDS = 60

# --- What a page has ------------------------------------------------------------------------------


def pieces(page):
    """Yields the commands of a page: lists of lines, and whether it is a block."""
    kind, lines = None, []
    for line in page.splitlines():
        if line.startswith("```"):
            if kind in ("", "sh"):
                yield block_commands(lines, kind), True
            kind, lines = (line[3:], []) if kind is None else (None, [])
        elif kind is not None:
            lines.append(line)
        else:
            spans = [span.replace("\\|", "|") for span in line.split("`")[1::2]]
            for span in spans:
                if re.match(r"(\w+=(\$\()?\S* ?)*kettle( |$)", span):
                    yield [span], False


def block_commands(lines, kind):
    """Returns the commands of a block; one without a language has none if no line starts a program."""
    if any(line.startswith("$ ") for line in lines):
        lines = [line[2:] for line in lines if line.startswith("$ ")]
    # A line of cron begins with the time.
    lines = [re.sub(r"^[\d*]+( [\d*]+){4}\s+", "", line) for line in lines]
    if kind != "sh" and not any(starts_program(line) for line in lines):
        return []
    found, unfinished = [], ""
    for line in lines:
        if not unfinished and (not line.strip() or line.startswith("#")):
            continue
        unfinished += line + "\n"
        if unfinished.endswith("\\\n") or not is_complete(unfinished):
            continue
        found.append(unfinished.rstrip("\n"))
        unfinished = ""
    return found + [unfinished] * bool(unfinished)


def starts_program(line):
    word = re.match(r"(\w+=\S*( +|$))*(\S*)", line)[3]
    is_known = shutil.which(word, path="/srv/kettle/bin:/usr/bin:/bin") or word in ("export", "cd")
    return is_known or any(re.match(entry[0], line) for entry in LEFT)


def is_complete(text):
    return not text.startswith("for ") or text.endswith("done\n")


def commands(line):
    """Returns the commands of a line that has several with `;`, and those that alternatives stand for."""
    line = re.sub(r"\s+# .*", "", line, flags=re.S) if line.count("\n") == 0 else line
    parts = re.split(r"; ", line) if not re.search(r"['\"\n]", line) else [line]
    choices = re.compile(r"([^\s|]+)\|([^\s|]+)$")
    return [choices.sub(lambda match: match[side], part) for part in parts
            for side in ((1, 2) if choices.search(part) else (1,))]


# --- A terminal -----------------------------------------------------------------------------------

PROMPT = re.compile(r"\x1e(\d+)\x1e")
ESCAPES = re.compile(
    r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[PX^_].*?\x1b\\|[ -/]*[0-~])|[\r\x00]", re.S)


class Terminal:
    """A shell on a terminal of 100 columns."""

    def __init__(self, environment):
        self.process, self.file = pty.fork()
        if self.process == 0:
            os.chdir(environment["HOME"])
            os.execvpe("sh", ["sh", "-i"], dict(environment, PS1="\x1e$?\x1e", PS2=""))
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        modes = termios.tcgetattr(self.file)
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(self.file, termios.TCSANOW, modes)
        self.forget()
        self.until(PROMPT.search)

    def forget(self):
        self.bytes, self.text = b"", ""

    def type(self, text):
        self.forget()
        os.write(self.file, text.encode())

    def until(self, is_wanted, poke=lambda: None):
        """Reads until the terminal shows what is wanted, and returns the match."""
        end = time.monotonic() + COMMAND_SECONDS
        while True:
            found = is_wanted(self.text)
            if found:
                return found
            poke()
            if time.monotonic() > end:
                raise Failure(f"it never showed what was wanted, but:\n{self.text.strip()[-1500:]}")
            if not select.select([self.file], [], [], 0.3)[0]:
                continue
            try:
                self.bytes += os.read(self.file, 65536)
            except OSError as error:
                raise Failure("the shell has ended") from error
            self.text = ESCAPES.sub("", self.bytes.decode(errors="replace"))

    def run(self, line, case, poke):
        """Types a line, and what its case wants, and returns its status and what was shown."""
        self.type(line + "\n")
        shown, poked = "", []

        def is_due(text):
            return PROMPT.search(text) or (any(poked) if sign is None else re.search(sign, text))

        for sign, keys in case.talk:
            self.until(is_due, (lambda: poked.append(poke(case.poke))) if case.poke else lambda: None)
            ended = PROMPT.search(self.text)
            if ended and int(ended[1]) == case.status:
                raise Failure(f"it ended before it showed \"{sign}\"")
            if ended:
                break
            shown += self.text
            self.type(keys)
        status = int(self.until(PROMPT.search)[1])
        return status, PROMPT.sub("", shown + self.text)

    def close(self):
        os.close(self.file)
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


# --- All ------------------------------------------------------------------------------------------


class Reader:
    """Somebody who tries everything that the pages say."""

    def __init__(self, place, show):
        self.place, self.show = place, show
        self.used = set()

    def read(self, page):
        """Runs the commands of a page; returns how many were run, named or left, and a list of failures."""
        self.place.make_home()
        counts, failures = collections.Counter(), []
        for lines, is_block in pieces(page):
            terminal = None
            for command in (command for line in lines for command in commands(line)):
                left = next((entry for entry in LEFT if re.match(entry[0], command)), None)
                if left:
                    self.used.add(left[0])
                    counts[left[1]] += 1
                    continue
                try:
                    terminal = terminal or Terminal(self.place.environment)
                    counts[self.run(terminal, command, is_block)] += 1
                except Failure as failure:
                    counts["failed"] += 1
                    failures.append((command, str(failure)))
                    if terminal and not PROMPT.search(terminal.text):
                        terminal.close()
                        terminal = None
            if terminal:
                terminal.close()
        return counts, failures

    def run(self, terminal, command, is_block):
        """Runs a command; returns "run", or "named" if a sentence only names it."""
        case = next((case for case in CASES if re.search(case.pattern, command)), Case(""))
        self.used.add(case.pattern)
        self.place.shell(case.before.replace("{files}", str(world.FILES)))
        line, subject = self.filled(command)
        began = time.monotonic()
        status, shown = terminal.run(line, case, self.place.succeeds)
        if self.show:
            print(f"$ {line}\n{shown.strip()}\n[{status}, {time.monotonic() - began:.1f} s]", flush=True)
        self.place.shell(case.after)
        if not is_block and status == 2 and NAMED_ONLY.search(shown):
            return "named"
        if status != case.status:
            hint = ", and is not in LEFT" if status == 127 else ""
            said = shown.strip()[-1500:]
            raise Failure(f"\"{line}\" exited with {status}, not {case.status}{hint}:\n{said}")
        added = re.findall(r"^\d+$", shown, re.M) if "kettle add" in command else subject
        if added and not WAITS.search(command):
            self.place.shell(f"kettle wait {' '.join(added)}")
        return "run"

    def filled(self, command):
        """Returns a command with values, and the ids of the transfer that was made for it."""
        new, place = self.place.url, self.place
        values = {
            "certificate": place.certificate, "key": place.key, "url": new(), "page": new("page", "a.zip"),
            "login": new("login"), "slow": new("slow"), "large": new(name="large.bin"),
            "tar": new(name="a.tar.gz"), "zip": new(name="a.zip"), "n": place.count}

        def put(text):
            text = re.sub(r"\{new\}", lambda match: new(), text)
            return re.sub(r"\{(\w+)\}", lambda match: str(values.get(match[1], match[0])), text)

        subject = []
        if ID.search(command):
            script = next(script for pattern, script in SUBJECTS if re.search(pattern, command))
            made = place.shell(f"{put(script)} >&2; echo $id $url", url=values["url"]).split()
            values["url"] = made[-1]
            command = ID.sub(lambda match: f"{match[1]} {made[-2]}", command)
            # What is started or accepted must complete.
            if re.search(r"kettle (start|accept)", command) and "{slow}" not in script:
                subject = [made[-2]]
        for pattern, value in VALUES:
            command = re.sub(pattern, value, command)
        return put(command), subject

    def unused(self):
        """Returns the entries of LEFT and CASES that no line has needed."""
        return [key for key in (*(entry[0] for entry in LEFT), *(case.pattern for case in CASES))
                if key not in self.used]


WRONG = """```sh
kettle list --jsn
kettle hosts forget nowhere.example
kettle add https://example.org/missing
no-such-program
kettle list
```

`kettle lst` and `kettle wait`
"""


def check_itself(place):
    """Fails if a wrong command line is not noticed."""
    reader = Reader(place, show=False)
    counts, failures = reader.read(WRONG)
    expected = ["kettle list --jsn", "kettle hosts forget nowhere.example",
                "kettle add https://example.org/missing", "no-such-program", "kettle lst"]
    if [command for command, _ in failures] != expected or counts["run"] != 1 or counts["named"] != 1:
        raise Failure(f"of wrong commands it noticed only {failures}")
    if len(reader.unused()) != len(LEFT) + len(CASES):
        raise Failure("it takes entries that no line needs for used")


def main(words):
    names = [word for word in words if not word.startswith("--")] or PAGES
    began, total, problems = time.monotonic(), collections.Counter(), 0
    place = world.World(hosts())
    check_itself(place)
    reader = Reader(place, "--show" in words)
    for name in names:
        counts, failures = reader.read((TOP / name).read_text(encoding="utf-8"))
        total += counts
        problems += len(failures)
        if counts:
            print(f"{name}: {said(counts)}", flush=True)
        for command, failure in failures:
            print(f"{name}: \"{command}\": {failure}", flush=True)
    for key in reader.unused() if names == PAGES else []:
        problems += 1
        print(f"No page has \"{key}\" any more")
    print(f"commands: {said(total)}, in {time.monotonic() - began:.0f} s")
    return f"commands: {problems} problems" if problems else 0


def said(counts):
    parts = [f"{counts['run']} commands run"]
    parts += [f"{counts['named']} named without arguments"] if counts["named"] else []
    parts += [f"{counts['failed']} failed"] if counts["failed"] else []
    parts += [f"{count} left to {where}" for where, count in counts.items()
              if where not in ("run", "named", "failed")]
    return ", ".join(parts)


def hosts():
    """Returns the names of all machines that the pages name, and of those that they lead to."""
    found = {"huggingface.co", "cdn.huggingface.co", "mirror.example.org", "busy.example.org",
             "db", "box", "nas", "seedbox"}
    for page in PAGES:
        text = (TOP / page).read_text(encoding="utf-8")
        found.update(re.findall(r"(?:https?|postgres)://([a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+)", text))
        for bucket in re.findall(r"s3://([a-z]+)", text):
            found.update({f"{bucket}.s3.amazonaws.com", f"{bucket}.s3.us-east-1.amazonaws.com"})
    return sorted(found)


if __name__ == "__main__":
    if sys.argv[1] != "--inside":
        world.enter(os.path.realpath(sys.argv[1]), hosts(), *sys.argv[2:])
    try:
        sys.exit(main(sys.argv[2:]))
    except Failure as failure:
        sys.exit(f"commands: {failure}")
