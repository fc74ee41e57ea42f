"""The pictures for the pages of the extension in the browsers' stores, made from its own pages."""

import base64
import os

from world import until

ICON = os.path.join(os.path.dirname(__file__), "..", "webextension", "icons", "128.png")
SIZE = (1280, 800)
TILE = (440, 280)
SCENE = """<!DOCTYPE html><style>
body {{ align-items: center; background: {ground}; color: {text}; display: flex; gap: 64px;
  font: 26px/1.4 system-ui, sans-serif; height: 100vh; justify-content: center; margin: 0 }}
h1 {{ font-size: 46px; line-height: 1.15; margin: 0 0 24px; text-wrap: balance }}
section {{ max-width: 500px; text-wrap: pretty }}
.page {{ border-radius: 10px; box-shadow: 0 12px 40px rgb(0 0 0 / 35%) }}
</style>{body}"""
LIGHT = {"ground": "#fdf1e7", "text": "#3b1d0a"}
DARK = {"ground": "#2a1a10", "text": "#fde9d9"}


def address(kind, data):
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def compose(browser, path, body, colors, size):
    """Draws a scene, and keeps it."""
    browser.open("about:blank")
    until("an empty page", lambda: browser.value("location.href") == "about:blank")
    browser.appear("light", *size, scale=1)
    browser.open(address("text/html", SCENE.format(body=body, **colors).encode()))
    until("the scene", lambda: browser.value(
        "document.querySelector('img')?.complete && document.readyState == 'complete'"))
    browser.picture(path)


def popup(browser, path, title, words, scheme):
    """Draws the popup that the browser shows, as high as its content."""
    browser.appear(scheme, 400, 600)
    height = min(560, browser.value("Math.ceil(document.body.getBoundingClientRect().height)"))
    browser.appear(scheme, 400, height)
    body = (f"<section><h1>{title}</h1>{words}</section>"
            f"<img class=page width=400 src='{address('image/png', browser.shot())}'>")
    compose(browser, path, body, LIGHT if scheme == "light" else DARK, SIZE)


def running(browser, folder):
    popup(browser, f"{folder}/screenshot-1.png", "Downloads that keep going",
          "Kettle takes over your downloads and finishes them after you close the browser.", "light")
    with open(ICON, "rb") as file:
        icon = address("image/png", file.read())
    compose(browser, f"{folder}/tile.png", f"<img width=128 src='{icon}'><h1>Kettle</h1>", LIGHT, TILE)
    browser.appear("light", 420, 560)


def settings(browser, folder):
    browser.appear("light", *SIZE, scale=1)
    browser.picture(f"{folder}/screenshot-2.png")


def refreshed(browser, folder):
    popup(browser, f"{folder}/screenshot-3.png", "Renew an expired link",
          "Download the file from its page again. Kettle keeps every byte it already has.", "dark")
