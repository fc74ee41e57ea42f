"""A headless Firefox, driven over Marionette, its own protocol."""

import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

from world import free_port


class Firefox:
    def __init__(self, extension, preferences, environment):
        program = shutil.which("firefox") or shutil.which("firefox-esr")
        self.folder = tempfile.mkdtemp(prefix="kfirefox-")
        port = free_port()
        with open(f"{self.folder}/user.js", "w") as file:
            for name, value in {**preferences, "marionette.port": port}.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.process = subprocess.Popen(
            [program, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote",
             "--profile", self.folder],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        self.socket = self.connection(port).makefile("rwb")
        self.number = 0
        self.received()
        self.call("WebDriver:NewSession", {})
        self.call("Addon:Install", {"path": os.path.realpath(extension), "temporary": True})

    def connection(self, port):
        for _ in range(600):
            try:
                return socket.create_connection(("127.0.0.1", port))
            except OSError:
                time.sleep(0.1)
        raise SystemExit("firefox did not start")

    def received(self):
        """A message is its length, a colon and JSON."""
        digits = b""
        while (byte := self.socket.read(1)) != b":":
            digits += byte
        return json.loads(self.socket.read(int(digits)))

    def call(self, method, parameters):
        self.number += 1
        text = json.dumps([0, self.number, method, parameters]).encode()
        self.socket.write(b"%d:%s" % (len(text), text))
        self.socket.flush()
        while True:
            kind, number, error, result = self.received()
            if number == self.number:
                if error:
                    raise SystemExit(f"{method}: {error['message']}")
                return result

    def open(self, url):
        self.call("WebDriver:Navigate", {"url": url})

    def value(self, script):
        return self.call(
            "WebDriver:ExecuteScript", {"script": f"return ({script})", "args": []})["value"]

    def text(self):
        """The visible text; empty while the page is replaced by another."""
        return self.value("document.body ? document.body.innerText : ''") or ""

    def picture(self, path):
        data = self.call("WebDriver:TakeScreenshot", {"full": True, "hash": False})["value"]
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
