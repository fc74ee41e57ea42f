"""What commands.py knows of the commands of the documents: what is not run, values, and what is special."""

import re
from dataclasses import dataclass

from world import DIGEST

# --- What is not run ------------------------------------------------------------------------------

# How such lines begin, where they are run, and why they are not run here.
LEFT = [
    (r"sudo (mkdir|wget|apt|rm) ", "make test-packages", "root; test-apt.sh runs these lines of the page"),
    (r"apt remove kettle", "make test-packages", "root; test-apt.sh installs and removes the package"),
    (r"apt install postgresql", "install-deps.sh", "root; it is installed so for tests"),
    (r"docker ", "make test-packages", "a daemon of containers; test-image.sh has runc in its place"),
    (r"sudo rpm |makepkg |sudo pacman ", "make test-packages",
     "another system; test-recipes.sh has an empty root in its place"),
    (r"(nix|brew) |.*\$\(brew ", "make test-packages",
     "nixpkgs and Homebrew; test-recipes.sh has a few lines in their place"),
    (r"su postgres ", "world.py", "root; the database here was made by the same createuser and createdb"),
    (r"(\w+=\S+ )*make ", "make", "a target that builds or tests for minutes"),
    (r"swift build|\.build/dev/debug/kettlePackageTests.xctest", "make test", "it builds and runs the same"),
    (r"kettle daemon (un)?install\b", "SystemdUnitsTests",
     "a systemd of the user; that test reads the units, and no test starts them"),
]

# --- Ids ------------------------------------------------------------------------------------------

# Changes a byte of a file, and not its time.
DAMAGE = "cp -p {0} right; printf x | dd of={0} bs=1 seek=9 conv=notrunc status=none; touch -r right {0}"

# Where a line has an id.
ID = re.compile(
    r"(kettle (?:why|pause|start|stop|repair|verify|wait|sync|manifest|accept|remove)"
    r"(?: --(?:with-file|fleet|fresh))*"
    r"|kettle limit \S+|--collection|queues move \S+) (ID|\{id\}|\d+)(?=[ |;]|$)")

# Which transfer that is: the first expression that the line has counts. $url is new, as all in braces is.
SUBJECTS = [
    (r"--fleet", "id=$(kettle add --fleet $url); kettle wait --fleet $id"),
    (r"\b(sync|manifest)\b|--collection",
     "id=$(kettle add https://example.org/release/SHA256SUMS --to {n}); kettle wait $id"),
    (r"\baccept\b", "url={page}; id=$(kettle add $url); ! kettle wait $id 2>&1"),
    (r"--user", "url={login}; id=$(kettle add $url); ! kettle wait $id 2>&1"),
    (r"\brepair\b", "url={large}; id=$(kettle add -o damaged-{n}.bin $url); kettle wait $id; cd Downloads; "
     + DAMAGE.format("damaged-{n}.bin")),
    (r"\b(pause|stop|limit|move)\b", "url={slow}; id=$(kettle add $url)"),
    (r"\b(start|why)\b", "id=$(kettle add --paused $url)"),
    (r"", "id=$(kettle add $url); kettle wait $id"),
]

# --- What names in capitals stand for -------------------------------------------------------------

# In this order. {url} is that of the line's transfer, or a new one; {new} is always a new one.
VALUES = [
    (r"[][]", ""), (r"(?<=[A-Z])\.\.\.", ""), (r"--name N\b", "--name $(uname -n)"),
    (r"https://…\?token=new", "{url}?token=new"),
    (r"-i FILE", "-i urls.txt"),
    (r"--load-cookies FILE", "--load-cookies cookies.txt"),
    (r"--ca-certificate FILE", "--ca-certificate {certificate}"),
    (r"--cert FILE --key KEY", "--cert {certificate} --key {key}"),
    (r" FILE(?=\.(meta4|torrent))", " file"),
    (r"ftp://HOST/DIR/", "ftp://HOST/srv/.world/files/model/onnx/"),
    (r"sftp://HOST/FILE", "sftp://HOST/srv/.world/files/data"),
    (r"(?<=/)FILE(?=\.)", "{n}/file"),
    (r"hf://org/model/FILE", "hf://org/model/config.json"),
    (r"/FILE\b", "/data.bin"),
    (r"config set KEY VALUE", "config set limits.rate 1M"),
    (r"--proxy socks5h://HOST:PORT", "--proxy socks5h://127.0.0.1:1080"),
    (r"--user NAME:PASSWORD URL", "--user you:pot {login}"),
    (r"--user NAME", "--user you:pot"),
    (r"-o (dir/)?NAME", r"-o \1new-{n}.bin"),
    (r"theme (show )?NAME", r"theme \1nord"),
    (r"(--queue|queues move) NAME", r"\1 night"),
    (r"fleet drain NAME", "fleet drain $(uname -n)"),
    (r"COMMAND --help", "add --help"),
    (r"--then COMMAND", "--then 'touch done'"),
    (r"CMD \{path\}", "touch {path}"),
    (r"s3://BUCKET/PREFIX", "s3://archive/raw"),
    (r"sha256:HEX", "sha256:" + DIGEST),
    (r"URL(?=.*\| tar -x)", "{tar}"),
    (r"(?<=unzip -o \{path\}' )URL", "{zip}"),
    (r"\bURL/", "https://example.org/pub/{n}/"),
    (r"HF_ENDPOINT=URL", "HF_ENDPOINT=https://huggingface.co"),
    (r"URL2|MIRROR", "https://mirror.example.org/files/{n}/data.bin"),
    (r"--url URL\b", "--url '{url}?token=new'"),
    (r"\bURL1?\b", "{new}"),
    (r"hosts reset HOST", "hosts reset busy.example.org"),
    (r"--ready-fd 3", "--ready-fd 3 3>ready"),
    (r"\bPATH\b", "checked.bin"),
    (r"\bHOST\b", "example.org"),
    (r"\bDIR\b", "dir"),
    (r"\bRATE\b", "1M"),
    (r"\bREVISION\b", "main"),
    (r"\bSOURCE\b", "s3://bucket/prefix/"),
    (r"\bDATABASE\b", "'host=db user=kettle dbname=downloads'"),
    (r"\bADDRESS:PORT\b", "10.0.0.5:7070"),
    (r"\bSHELL\b", "bash"),
    (r"\bN\b", "2"),
]

# --- Commands that need something, talk or end otherwise ------------------------------------------


@dataclass
class Case:
    """How lines that match are run. The first that matches counts."""

    pattern: str
    # Commands of a shell that make the line possible, and those that clean up.
    before: str = ""
    after: str = ""
    # In turns what the terminal must show, and what is typed then.
    talk: tuple = ()
    # A command that is repeated until the first of them is shown or, if that is None, until it succeeds.
    poke: str = ""
    status: int = 0


JOIN = ("kettle fleet init 'host=db user=kettle dbname=downloads'; kettle fleet join "
        "'host=db user=kettle dbname=downloads' --root /srv/files --root /srv/models")
# Machines ask the database every two seconds, and not every twenty.
OFTEN = "psql -q -h db -U kettle -c 'update kettle.meta set lease_ms = 6000' downloads"
REMOVED = "kettle remove $(kettle add --paused https://example.org/files/removed.bin)"
REMEMBERED = ("id=$(kettle add https://example.org/login/remembered.bin); ! kettle wait $id; "
              "kettle start $id --user you:pot --remember; kettle wait $id")
BUSY = "kettle add https://busy.example.org/file; until kettle hosts | grep busy; do :; done"
LISTED = ("cp {files}/sums SHA256SUMS; "
          "for file in a.bin b.bin dir/a.bin dir/b.bin; do cp {files}/data $file; done")
CHECKED = "kettle get -q -d . https://example.org/files/checked.bin"
DAMAGED = ("kettle get -q -o debian.iso https://example.org/large.bin; cd Downloads; "
           + DAMAGE.format("debian.iso"))
RULE = ("mkdir -p .config/kettle; "
        "printf '[[rules]]\\nhost = \"example.org\"\\nlimit = \"2M\"\\n' >.config/kettle/config.toml")
QUEUE = "kettle config set queues.night.transfers 2; kettle daemon start; kettle config reload"
INTERRUPT = "\x03"

CASES = [
    Case(r"^(~/\.local/bin/)?kettle( --host \S+| --ascii| --fleet| demo)*$", talk=((" leave", "q"),)),
    Case(r"kettle bin empty$", talk=(("[y/N]", "y\n"),)),
    Case(r"kettle (--plain|watch)$", poke="kettle add https://example.org/files/watched.bin",
         talk=(("watched", INTERRUPT),), status=130),
    Case(r"kettle daemon run", before="kettle daemon stop",
         poke="kettle daemon status", talk=((None, INTERRUPT),)),
    Case(r"kettle add -i -$", talk=(("", "https://example.org/files/typed.bin\n\x04"),)),
    Case(r"kettle wait --all", before="kettle remove --all"),
    Case(r"kettle (daemon status|config reload)", before="kettle daemon start"),
    Case(r"kettle rules test", before=RULE, after="rm .config/kettle/config.toml"),
    Case(r"kettle queues move", before=QUEUE),
    Case(r"kettle undo$", before=REMOVED),
    Case(r"kettle hosts reset HOST", before=BUSY),
    Case(r"kettle hosts forget HOST", before=REMEMBERED),
    Case(r"kettle (verify|repair) PATH", before=CHECKED),
    Case(r"kettle verify --manifest SHA256SUMS", before=LISTED),
    # The page shows a damaged file.
    Case(r"kettle verify ~/Downloads/debian.iso", before=DAMAGED, status=1,
         after="mv Downloads/right Downloads/debian.iso"),
    Case(r"tar cf kettle-backup.tar", before="mkdir -p .config/kettle"),
    Case(r"kettle add --fleet -i", before="kettle fleet status || { " + JOIN + "; }"),
    Case(r"kettle (verify|repair) --fleet", before=JOIN),
    Case(r"kettle fleet init 'host=", after=OFTEN),
    Case(r"kettle fleet init postgres:", before="kettle fleet leave"),
    Case(r"kettle fleet leave", after=JOIN),
    Case(r"kettle fleet drain", after="kettle fleet undrain $(uname -n)"),
]

# What a command says that a sentence names without all that it needs.
NAMED_ONLY = re.compile(
    r"kettle: (Missing |No URL was given|Nothing to wait for was named|\".*\" needs transfer ids)")

# A transfer that a command adds must complete, unless it is to wait or belongs to another machine.
WAITS = re.compile(r"--(dry-run|paused|not-before|fleet|host|queue)\b")
