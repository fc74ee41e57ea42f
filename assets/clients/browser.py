"""A headless Chromium, driven over its debugging protocol."""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request

import websocket


class Refused(Exception):
    pass


class Browser:
    def __init__(self, *options, profile=None, environment=None):
        program = shutil.which("chromium") or shutil.which("google-chrome")
        if not program:
            raise SystemExit("chromium is missing; install it with: apt-get install chromium")
        self.folder = tempfile.mkdtemp(prefix="kbrowser-")
        arguments = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-dev-shm-usage", "--remote-debugging-port=0", "--window-size=1200,760",
            "--remote-allow-origins=*", f"--user-data-dir={profile or self.folder + '/profile'}",
            *options, "about:blank"]
        self.process = subprocess.Popen(
            arguments, stdout=subprocess.DEVNULL, stderr=open(f"{self.folder}/log", "wb"),
            env=environment)
        port = None
        for _ in range(600):
            text = open(f"{self.folder}/log", errors="replace").read()
            found = re.search(r"ws://127\.0\.0\.1:(\d+)/", text)
            if found:
                port = found.group(1)
                break
            time.sleep(0.05)
        if not port:
            raise SystemExit("chromium did not start: " + text[-400:])
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
            pages = [page for page in json.load(answer) if page["type"] == "page"]
        self.socket = websocket.create_connection(pages[0]["webSocketDebuggerUrl"], timeout=30)
        self.number = 0
        self.call("Page.enable")
        self.call("Runtime.enable")

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps(
            {"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.number:
                if "error" in message:
                    raise Refused(f"{method}: {message['error']}")
                return message.get("result", {})

    def open(self, url):
        self.call("Page.navigate", url=url)

    def value(self, script):
        result = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True,
            userGesture=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def text(self):
        """The visible text; empty while the page is replaced by another."""
        try:
            return self.value("document.body ? document.body.innerText : ''") or ""
        except Refused:
            return ""

    def appear(self, scheme, width, height, scale=2):
        """Shows the page on a screen of this size, in the light or the dark scheme."""
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=False)

    def shot(self):
        """What the page looks like, as a PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def picture(self, path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(self.shot())

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
