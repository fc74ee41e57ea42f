"""The WebExtension in a headless Chromium, and in a headless Firefox if there is one: what it takes over
from a page that requires a cookie, what it leaves to the browser, and how a dead link is refreshed. PICTURES
is the folder for what its pages looked like, and for the pictures of the stores."""

import functools
import hashlib
import http.server
import json
import os
import shutil
import struct
import subprocess
import tempfile
import threading

from browser import Browser
from firefox import Firefox
import store_pictures
from world import Server, check, run, until

PICTURES = os.environ.get("PICTURES")
EXTENSION = os.path.join(os.path.dirname(__file__), "..", "webextension")
CHROMIUM_ID = "ciaecdjonaljpecklcooeemphelopapl"
FIREFOX_ID = "kettle@example.org"
# More than a browser holds back while it waits for the name of the file.
LARGE = hashlib.sha256(b"large").digest() * 700_000
SMALL = b"a small text\n" * 100
FILM = hashlib.sha256(b"film").digest() * 500_000
PAGE = """<!DOCTYPE html><title>Files</title>
<a id="large" href="/start?file=large">a large file</a>
<a id="small" href="/files/small.txt" download>a small file</a>
<a id="kind" href="/files/small.iso">a small image of a disk</a>
<a id="ticket" href="/tickets/{ticket}?name=film">a film</a>
<a id="blank" href="/tickets/{ticket}?name=other" target="_blank">another film</a>
<form id="form" method="post" action="/files/form.iso"><input name="a" value="b"></form>
"""


class Site(http.server.BaseHTTPRequestHandler):
    """Its page sets a cookie, and its files require it."""

    protocol_version = "HTTP/1.1"
    seen = []
    lock = threading.Lock()
    # The number of the ticket that the page gives, and those that are no longer valid.
    ticket = 1
    expired = set()
    # Set while a browser may finish files for Kettle by itself.
    isReleased = threading.Event()

    def log_message(self, *arguments):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()

    def answer(self, status, body, *headers, byteCount=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.send_all(body[:byteCount])

    def send_all(self, body):
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def do_GET(self):
        with self.lock:
            self.seen.append((self.command, self.path, dict(self.headers.items())))
        if self.path == "/" or self.path.startswith("/?"):
            page = PAGE.format(ticket=self.ticket).encode()
            self.answer(200, page, ("Content-Type", "text/html"),
                        ("Set-Cookie", "session=abc123; Path=/; HttpOnly"))
        elif "session=abc123" not in self.headers.get("Cookie", ""):
            self.answer(403, b"no cookie\n", ("Content-Type", "text/plain"))
        elif self.path == "/start?file=large":
            self.answer(302, b"", ("Location", "/files/7f3a?download=1"))
        elif self.path == "/files/7f3a?download=1":
            self.send_file(LARGE, "The large file.bin")
        elif self.path.startswith("/tickets/"):
            self.send_film(*self.path[len("/tickets/"):].split("?name="))
        elif self.path == "/files/small.txt":
            self.send_file(SMALL, "small.txt")
        elif self.path in ("/files/small.iso", "/files/form.iso"):
            self.send_file(SMALL, self.path.rpartition("/")[2])
        else:
            self.answer(404, b"")

    def send_film(self, ticket, name):
        """The first ticket ends in the middle of the file."""
        if int(ticket) in self.expired:
            self.answer(410, b"the ticket has expired\n")
        elif ticket == "1" and "Sec-Fetch-Mode" not in self.headers:
            self.expired.add(1)
            self.answer(200, FILM, ("ETag", '"film"'), ("Accept-Ranges", "bytes"),
                        byteCount=len(FILM) // 2)
            self.close_connection = True
        else:
            self.send_file(FILM, name + ".bin")

    def send_file(self, body, name):
        headers = [("Content-Type", "application/octet-stream"), ("Accept-Ranges", "bytes"),
                   ("ETag", f'"{len(body)}"'),
                   ("Content-Disposition", f'attachment; filename="{name}"')]
        wanted = self.headers.get("Range", "")
        # Only a browser says what its request is for.
        if "Sec-Fetch-Mode" in self.headers and name in (
                "The large file.bin", "small.iso", "film.bin", "other.bin"):
            self.answer(200, body, *headers, byteCount=len(body) // 2)
            self.isReleased.wait()
            self.send_all(body[len(body) // 2:])
            return
        if not wanted.startswith("bytes="):
            self.answer(200, body, *headers)
            return
        first, _, last = wanted[6:].partition("-")
        first, end = int(first), int(last) + 1 if last else len(body)
        headers.append(("Content-Range", f"bytes {first}-{end - 1}/{len(body)}"))
        self.answer(206, body[first:end], *headers)

    @classmethod
    def requests(cls, path):
        with cls.lock:
            return [headers for method, each, headers in cls.seen if each == path]


def converse(program, arguments, environment, *messages):
    """Speaks with the host as a browser does, until its end."""
    packed = b"".join(
        struct.pack("=I", len(text)) + text for text in (json.dumps(m).encode() for m in messages))
    done = subprocess.run(
        [program, *arguments], input=packed, env=environment, capture_output=True)
    replies, rest = [], done.stdout
    while rest:
        count, = struct.unpack("=I", rest[:4])
        replies.append(json.loads(rest[4:4 + count]))
        rest = rest[4 + count:]
    return done.returncode, replies


class InChromium:
    name = "chromium"
    page = f"chrome-extension://{CHROMIUM_ID}"
    names = {"allowed_origins": [page + "/"]}
    manifests = ".config/chromium/NativeMessagingHosts"
    arguments = [page + "/"]

    @staticmethod
    def start(world, folder, downloads):
        os.makedirs(f"{folder}/profile/Default")
        with open(f"{folder}/profile/Default/Preferences", "w") as file:
            json.dump({"download": {
                "default_directory": downloads, "prompt_for_download": False}}, file)
        # With a profile elsewhere, Chromium looks for manifests there.
        os.symlink(f"{world.home}/{InChromium.manifests}", f"{folder}/profile/NativeMessagingHosts")
        return Browser(
            f"--load-extension={os.path.realpath(EXTENSION)}", profile=f"{folder}/profile",
            environment=world.environment)


class InFirefox:
    name = "firefox"
    # The browser would draw one.
    unique = "0b5e4d2a-7f52-4c3e-9a55-0c2d1f6a9b10"
    page = f"moz-extension://{unique}"
    names = {"allowed_extensions": [FIREFOX_ID]}
    manifests = ".mozilla/native-messaging-hosts"
    arguments = ["org.example.kettle.json", FIREFOX_ID]

    @staticmethod
    def start(world, folder, downloads):
        return Firefox(EXTENSION, {
            "extensions.webextensions.uuids": json.dumps({FIREFOX_ID: InFirefox.unique}),
            "browser.download.folderList": 2, "browser.download.dir": downloads,
            "browser.download.always_ask_before_handling_new_types": False,
            "browser.helperApps.neverAsk.saveToDisk": "application/octet-stream",
            # A script may open a tab.
            "dom.disable_open_during_load": False,
        }, world.environment)


class Tab:
    """The page of the site, and one of the extension, in the one tab of the browser."""

    def __init__(self, browser, kind, site):
        self.browser = browser
        self.kind = kind
        self.site = site

    def visit(self):
        self.browser.open(self.site + "/")
        until("the page", lambda: "a large file" in self.browser.text())

    def click(self, name):
        self.visit()
        what = "submit()" if name == "form" else "click()"
        self.browser.value(f"document.getElementById('{name}').{what}")

    def extension(self, page):
        self.browser.open(f"{self.kind.page}/{page}")
        until(page, lambda: self.browser.value("location.pathname") == "/" + page
              and self.browser.value("document.readyState") == "complete")

    def ask(self, script):
        return self.browser.value(f"(async () => {script})()")

    def downloads(self):
        """The downloads that the browser itself has."""
        return self.ask("""(await chrome.downloads.search({})).map(
            (each) => [each.filename, each.state])""")

    def picture(self, name, scheme="light", width=1200, height=760):
        if not PICTURES:
            return
        if isinstance(self.browser, Browser):
            self.browser.appear(scheme, width, height)
        self.browser.picture(f"{PICTURES}/webextension-{self.kind.name}-{name}-{scheme}.png")


def rows(world):
    return json.loads(world.kettle("list", "--json"))


def completed(world, name):
    return until(name, lambda: [
        row for row in rows(world)
        if row["state"] == "completed" and row["path"].endswith("/" + name)])[0]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def check_host(world, kind):
    world.kettle("browser", "install", "--browser", kind.name)
    path = f"{world.home}/{kind.manifests}/org.example.kettle.json"
    with open(path) as file:
        manifest = json.load(file)
    check("the manifest names the extension",
          all(manifest[name] == value for name, value in kind.names.items()))
    code, replies = converse(
        manifest["path"], kind.arguments, world.environment,
        {"id": 1, "method": "hello"}, {"id": 2, "method": "x"})
    check("the host answers until the input ends",
          code == 0 and "version" in replies[0]["result"] and "error" in replies[1])
    return path


def decide(world, tab):
    """The decisions that need no download, in the browser's own engine."""
    tab.extension("options.html")

    def takes(item, **settings):
        each = {"url": "https://a.example/f", "filename": "", "totalBytes": -1, **item}
        chosen = {"takesOver": True, "minimumMebibytes": 1, "kinds": ["iso"], "excludedHosts": [],
                  "includesPrivateWindows": False, **settings}
        return tab.ask(f"""(await import('/decision.js')).takesOver(
            {json.dumps(each)}, {json.dumps(chosen)})""")

    large = {"totalBytes": 1 << 20}
    check("a size, a kind and neither are told apart", [
        takes(large), takes({"totalBytes": (1 << 20) - 1}), takes({}), takes({"filename": "a.ISO"}),
        takes({"filename": "a.iso.txt"}), takes({"url": "https://a.example/x/b.iso?c"}),
        takes(large, takesOver=False)] == [True, False, False, True, False, True, False])
    check("what a page made, and a private window, is left to the browser", [
        takes({**large, "url": "blob:https://a.example/1"}), takes({**large, "url": "data:,a"}),
        takes({**large, "finalUrl": "ftp://a.example/"}), takes({**large, "incognito": True}),
        takes({**large, "incognito": True}, includesPrivateWindows=True),
    ] == [False, False, False, False, True])
    hosts = ["a.example"]
    check("excluded hosts include those below them", [
        takes(large, excludedHosts=hosts), takes(
            {**large, "url": "https://b.a.example/"}, excludedHosts=hosts),
        takes({**large, "url": "https://ba.example/"}, excludedHosts=hosts), takes(
            {**large, "url": "https://b.example/", "finalUrl": "https://a.example/"},
            excludedHosts=hosts)] == [False, False, True, False])

    def link(**info):
        return tab.ask(f"(await import('/decision.js')).linkOf({json.dumps(info)})")

    target = "https://a.example/f"
    check("a link tells no more about its page than a browser would", [
        link(linkUrl=target, pageUrl=page).get("referrer") for page in [
            "https://me:pw@a.example/p?q#r", "https://b.example/p?q", "about:blank"]
    ] + [link(linkUrl="http://a.example/f", pageUrl="https://a.example/p").get("referrer"),
         link(linkUrl="javascript:alert(1)", pageUrl=target)] == [
        "https://a.example/p?q", "https://b.example/", None, None, None])


    def decided(call, module="decision"):
        return tab.ask(f"(await import('/{module}.js')).{call}")

    item = "{ url: 'https://a.example/1', finalUrl: 'https://a.example/2' }"
    check("a form is not sent again, and what it led to is requested by itself", [
        decided(f"urlToRepeat({item}, {{ isForm: {form}, beganAsForm: {began} }}) ?? null")
        for form, began in [("true", "true"), ("false", "true"), ("false", "false")]
    ] == [None, "https://a.example/2", "https://a.example/1"])
    check("an unknown request may be a form", tab.ask(f"""(await (await import('/requests.js')).requestOf(
        {{ url: 'https://never.example/', startTime: new Date().toISOString() }})).isForm"""))
    check("a strict cookie stays on its site", [
        decided(f"isSent({{ sameSite: '{kind}' }}, 'https://a.example/f', {page})")
        for kind, page in [("strict", "'https://a.example/p'"), ("strict", "'https://b.example/'"),
                           ("strict", "undefined"), ("lax", "'https://b.example/'")]
    ] == [True, False, False, True])
    def remembered(item, page):
        return decided(f"pageToRemember({json.dumps(item)}, {json.dumps(page)}) ?? null")

    check("a page is remembered without a login, and not that of a private window", [
        remembered({}, "https://me:pw@a.example/p?q#r"),
        remembered({"referrer": "https://b.example/"}, "https://a.example/p"),
        remembered({"referrer": "https://b.example/p"}, None),
        remembered({"referrer": "https://b.example/p"}, "about:blank"),
        remembered({"incognito": True}, "https://a.example/p"), remembered({}, "file:///p"),
    ] == ["https://a.example/p?q", "https://a.example/p", "https://b.example/p",
          "https://b.example/p", None, None])

    def length(status, *headers):
        pairs = [{"name": name, "value": value} for name, value in headers]
        return tab.ask(
            f"(await import('/requests.js')).lengthOf({status}, {json.dumps(pairs)}) ?? null")

    sized = ("Content-Length", "5000")
    check("the size is that of a whole file", [
        length(200, sized), length(206, sized), length(200, sized, ("Content-Encoding", "gzip")),
        length(200, ("content-length", "x")), length(200),
    ] == [5000, None, None, None, None])
    check("private windows have cookies of their own", [
        decided("storeOf({ incognito: true })", "handover") is not None,
        decided("storeOf({ incognito: false }) ?? null", "handover"),
        decided("storeOf({ cookieStoreId: 'x', incognito: true })", "handover"),
    ] == [True, None, "x"])


def download_link(world, tab):
    tab.extension("options.html")
    tab.ask(f"""(await import('/handover.js')).handOver((await import('/decision.js')).linkOf({{
        linkUrl: '{tab.site}/files/small.txt', pageUrl: '{tab.site}/' }}))""")
    row = completed(world, "small.txt")
    check("Download with Kettle sends the cookies of the page", read(row["path"]) == SMALL)


def take_over(world, tab, downloads):
    tab.click("large")
    row = completed(world, "The large file.bin")
    check("a large file is taken over, with its final name",
          row["path"].startswith(world.downloads))
    check("its bytes are right", read(row["path"]) == LARGE)
    tab.extension("popup.html")
    until("the browser has nothing of it",
          lambda: tab.downloads() == [] and os.listdir(downloads) == [])
    check("the browser has nothing of it", True)
    # Firefox knows only the last URL of a redirect.
    asked = Site.requests("/start?file=large") + Site.requests("/files/7f3a?download=1")
    browser = [headers for headers in asked if "Sec-Fetch-Mode" in headers]
    kettle = [headers for headers in asked if "Sec-Fetch-Mode" not in headers]
    check("both asked", len(browser) == 2 and len(kettle) >= 1)
    for name in ["Cookie", "Referer", "User-Agent"]:
        wanted = browser[0].get(name)
        check(f"Kettle sends the browser's {name}",
              wanted is not None and all(each.get(name) == wanted for each in kettle))

    tab.click("kind")
    row = completed(world, "small.iso")
    check("a small file of a kind is taken over", read(row["path"]) == SMALL)


def refresh(world, tab, downloads):
    """A link expires in the middle of a file, and its page gives another one."""
    tab.click("ticket")
    row = until("the dead link", lambda: [
        row for row in rows(world) if row["reason"] == "needsLink"], seconds=90)[0]
    check("a link expires in the middle of a file",
          0 < row["bytesReceived"] < len(FILM) and row["path"].endswith("/film.bin"))
    why = world.kettle("why", str(row["id"]))
    check("its page is remembered", f'The page that it came from: "{tab.site}/"' in why)
    tab.extension("popup.html")
    until("the row says so", lambda: "film.bin" in tab.browser.text())

    Site.ticket = 2
    before = len(rows(world))
    tab.click("blank")
    completed(world, "other.bin")
    check("another name from that page is a new transfer", len(rows(world)) == before + 1)

    tab.click("ticket")
    done = completed(world, "film.bin")
    check("the same file from there continues the transfer",
          done["id"] == row["id"] and len(rows(world)) == before + 1)
    check("its bytes are right", read(done["path"]) == FILM)
    asked = [each for each in Site.requests("/tickets/2?name=film") if "Sec-Fetch-Mode" not in each]
    check("and those that it had are not fetched again", len(asked) >= 1 and all(
        each.get("Range", "").startswith("bytes=") for each in asked))
    tab.extension("popup.html")
    until("the popup says so", lambda: "film.bin continues with the fresh link." in tab.browser.text())
    check("the popup says so", True)
    until("the browser has nothing of it", lambda: tab.downloads() == [])
    if PICTURES and isinstance(tab.browser, Browser):
        store_pictures.refreshed(tab.browser, PICTURES)


def leave(world, tab, downloads):
    last = max(row["id"] for row in rows(world))
    tab.click("small")
    until("small.txt", lambda: "small.txt" in os.listdir(downloads))
    tab.click("form")
    until("form.iso", lambda: "form.iso" in os.listdir(downloads))
    until("both are complete", lambda: all(
        read(f"{downloads}/{name}") == SMALL for name in ["small.txt", "form.iso"]))
    check("a small file and the answer to a form are left to the browser", True)
    # Also not for a moment: what is removed leaves its number used.
    check("Kettle got neither", world.kettle("add", "--paused", world.origin + "/next").strip()
          == str(last + 1))
    world.kettle("remove", str(last + 1))


def show(world, tab):
    world.kettle("limit", "300K")
    world.kettle("add", "-t", "A film about kettles.mp4", world.origin + "/big.bin")
    world.kettle("add", "--paused", "-t", "Later.iso", world.origin + "/small.bin")
    tab.extension("popup.html")
    until("the running row", lambda: "KiB/s" in tab.browser.text())
    check("the popup shows what is running", "A film about kettles.mp4" in tab.browser.text())
    for scheme in ["light", "dark"]:
        tab.picture("popup", scheme, width=420, height=560)
    if PICTURES and isinstance(tab.browser, Browser):
        store_pictures.running(tab.browser, PICTURES)
        tab.extension("popup.html")
        until("the running row", lambda: "KiB/s" in tab.browser.text())
    tab.browser.value("""[...document.querySelectorAll('li')].find(
        (row) => row.textContent.includes('film')).querySelector('button').click()""")
    until("it is paused", lambda: any(
        row["title"].startswith("A film") and row["state"] == "paused" for row in rows(world)))
    until("the row says so", lambda: "paused · " in tab.browser.text())
    check("a button of the popup pauses a transfer", True)

    tab.extension("options.html")
    until("the host", lambda: "Connected to Kettle" in tab.browser.text())
    for scheme in ["light", "dark"]:
        tab.picture("options", scheme)
    if PICTURES and isinstance(tab.browser, Browser):
        store_pictures.settings(tab.browser, PICTURES)
    tab.browser.value("""(document.getElementById('excludedHosts').value = 'a.example, HTTP://127.0.0.1:80/x',
        document.getElementById('form').requestSubmit())""")
    until("the settings", lambda: "Saved" in tab.browser.text())
    check("the settings page understands hosts", tab.browser.value(
        "document.getElementById('excludedHosts').value") == "a.example, 127.0.0.1")
    world.kettle("limit", "none")


def exclude(world, tab, downloads):
    Site.isReleased.set()
    count = len(rows(world))
    tab.click("kind")
    until("small.iso", lambda: "small.iso" in os.listdir(downloads))
    check("a host can be excluded", len(rows(world)) == count)
    tab.extension("options.html")
    tab.ask("await chrome.storage.local.set({ excludedHosts: [] })")


def finish_first(world, tab, downloads):
    """A browser may finish a small file before it is asked to give it up."""
    count = len(rows(world)) + len(os.listdir(downloads))
    tab.click("kind")
    until("one more file", lambda: len(rows(world)) + len(os.listdir(downloads)) > count)
    until("nothing is left paused", lambda: not any(
        row["state"] == "paused" and row["url"].endswith("small.iso") for row in rows(world)))
    until("one has it", lambda: len(rows(world)) + len(os.listdir(downloads)) == count + 1)
    check("a file that the browser finishes first is not fetched twice", True)


def fail(world, tab, downloads, manifest):
    def others():
        # Firefox may still be giving the last small.iso to Kettle and taking it back.
        return [row["id"] for row in rows(world) if not row["url"].endswith("small.iso")]

    os.remove(manifest)
    before = others()
    tab.click("large")
    path = f"{downloads}/The large file.bin"
    until("the browser's own file", lambda: os.path.exists(path) and read(path) == LARGE)
    check("without the host the browser finishes its download", True)
    check("and Kettle got nothing", others() == before)
    tab.extension("popup.html")
    until("the reason", lambda: "kettle browser install" in tab.browser.text())
    check("the popup says what to do", True)
    tab.picture("problem", width=420, height=300)


def body(kind, world):
    manifest = check_host(world, kind)
    Site.seen.clear()
    Site.isReleased.clear()
    Site.ticket = 1
    Site.expired.clear()
    server = Server(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="kprofile-") as folder:
        downloads = f"{folder}/downloads"
        os.mkdir(downloads)
        browser = kind.start(world, folder, downloads)
        try:
            tab = Tab(browser, kind, f"http://127.0.0.1:{server.server_address[1]}")
            tab.extension("options.html")
            check("the browser loads the extension under its id", True)
            decide(world, tab)
            take_over(world, tab, downloads)
            refresh(world, tab, downloads)
            download_link(world, tab)
            leave(world, tab, downloads)
            show(world, tab)
            exclude(world, tab, downloads)
            finish_first(world, tab, downloads)
            fail(world, tab, downloads, manifest)
        finally:
            Site.isReleased.set()
            browser.close()
            server.shutdown()


print("  in Chromium")
run(functools.partial(body, InChromium))
if shutil.which("firefox") or shutil.which("firefox-esr"):
    print("  in Firefox")
    run(functools.partial(body, InFirefox))
else:
    print("  skipped: there is no Firefox")
