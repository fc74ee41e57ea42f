"""AriaNg's page in a browser, over HTTP and over a WebSocket. ARIANG is the folder of its page, and
PICTURES the folder for what it looked like."""

import base64
import functools
import http.server
import os
import sys
import threading

from browser import Browser
from world import check, run, until

PICTURES = os.environ.get("PICTURES")


class Page(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def encoded(text):
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def visit(world, browser, page, protocol):
    def picture(name):
        if PICTURES:
            browser.picture(os.path.join(PICTURES, f"{protocol}-{name}.png"))

    def go(path):
        browser.value(f"location.hash = '#!{path}'")

    def tell(gid):
        return world.call("aria2.tellStatus", gid)

    browser.open(
        f"{page}/#!/settings/rpc/set/{protocol}/127.0.0.1/{world.port}/jsonrpc/"
        + encoded(world.secret))
    until("connected", lambda: "Connected" in browser.text())
    check(f"connects over {protocol}", "Disconnected" not in browser.text())

    # Slow enough to be seen.
    world.call("aria2.changeGlobalOption", {"max-download-limit": "2M"})
    go("/new")
    until("the form", lambda: "Download Now" in browser.text())
    picture("new")
    go("/new/" + encoded(world.origin + "/big.bin"))
    gid = until("a download", lambda: (world.call("aria2.tellActive", ["gid"]) or [{}])[0].get("gid"))
    go("/downloading")
    until("the row", lambda: "big" in browser.text())
    picture("downloading")
    check("shows a running download", "big" in browser.text())

    go(f"/task/detail/{gid}")
    until("the details", lambda: "Task Status" in browser.text())
    picture("detail")

    service = "angular.element(document.body).injector().get('aria2TaskService')"
    browser.value(f"{service}.pauseTasks(['{gid}'], () => {{}})")
    until("paused", lambda: tell(gid)["status"] == "paused")
    go("/waiting")
    until("the paused row", lambda: "big" in browser.text())
    picture("waiting")
    browser.value(f"{service}.startTasks(['{gid}'], () => {{}})")
    until("active again", lambda: tell(gid)["status"] == "active")
    check("pauses and continues", True)
    browser.value(
        f"{service}.setTaskOption('{gid}', 'max-download-limit', '524288', () => {{}})")
    until("the limit", lambda: world.call(
        "aria2.getOption", gid)["max-download-limit"] == "524288")
    check("changes a limit", True)
    browser.value(
        f"{service}.setTaskOption('{gid}', 'max-download-limit', '0', () => {{}})")

    bad = world.call("aria2.addUri", [world.origin + "/missing"], {"header": ["Cookie: a=b"]})
    until("it failed", lambda: tell(bad)["status"] == "error")
    until("complete", lambda: tell(gid)["status"] == "complete", seconds=60)
    go("/stopped")
    until("the finished rows", lambda: "big" in browser.text() and "missing" in browser.text())
    picture("stopped")
    browser.value(f"""{service}.getTaskStatus('{bad}', function (r) {{
        {service}.retryTask('{bad}', function (r) {{ window.retried = r; }}) }})""")
    again = until("a retry", lambda: [
        row["gid"] for row in world.call("aria2.tellStopped", 0, 100, ["gid", "status"])
        if row["gid"] not in (bad, gid) and row["status"] == "error"])
    check("retries, and keeps the cookie",
          world.call("aria2.getOption", again[-1])["header"] == "Cookie: a=b")
    go("/settings/aria2/basic")
    until("the settings", lambda: "Max Concurrent Downloads" in browser.text())
    picture("settings")
    go("/status")
    until("the status", lambda: "Kettle" in browser.text())
    picture("status")
    browser.value(f"{service}.clearStoppedTasks(() => {{}})")
    until("nothing is left", lambda: world.call("aria2.tellStopped", 0, 10) == [])
    check("purges", True)


def body(world):
    folder = os.environ["ARIANG"]
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Page, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = f"http://127.0.0.1:{server.server_address[1]}"
    browser = Browser()
    try:
        visit(world, browser, page, "http")
        visit(world, browser, page, "ws")
    finally:
        browser.close()
        server.shutdown()


if not os.environ.get("ARIANG"):
    print("  skipped: set ARIANG to the folder of AriaNg's page")
    sys.exit(0)
run(body)
