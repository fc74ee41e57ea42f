#!/usr/bin/env python3
"""pack.py DIRECTORY
Makes the archives of the extension for the stores of Firefox and Chromium in DIRECTORY, and looks at them. The
same sources give the same bytes."""

import json
import os
import struct
import sys
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.dirname(HERE)
# What is of no use to a browser, or is refused by its store.
FOREIGN = {
    "firefox": ["key", "minimum_chrome_version"],
    "chromium": ["key", "browser_specific_settings"],
}
FOREIGN_BACKGROUND = {"firefox": "service_worker", "chromium": "scripts"}
# The store of Chromium wants an icon within a transparent edge.
ICON, EDGE = 128, 16
# The year in which the time of a zip begins.
TIME = (1980, 1, 1, 0, 0, 0)


class Wrong(Exception):
    pass


def manifest(browser):
    with open(f"{SOURCES}/manifest.json", encoding="utf-8") as file:
        content = json.load(file)
    for name in FOREIGN[browser]:
        del content[name]
    del content["background"][FOREIGN_BACKGROUND[browser]]
    return json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n"


def files():
    """The files of the extension, by their names in the archive."""
    names = [name for name in os.listdir(SOURCES) if os.path.isfile(f"{SOURCES}/{name}")]
    names += ["icons/" + name for name in os.listdir(f"{SOURCES}/icons")]
    found = {}
    for name in sorted(names):
        if name.rpartition(".")[2] not in ("css", "html", "js", "json", "png"):
            raise Wrong(f"{name} is no part of the extension")
        with open(f"{SOURCES}/{name}", "rb") as file:
            found[name] = file.read()
    return found


def pack(browser, path):
    content = {**files(), "manifest.json": manifest(browser)}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(content):
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, content[name])


def named(content):
    """The files that a manifest names."""
    for icons in (content["icons"], content["action"]["default_icon"]):
        yield from icons.values()
    yield content["action"]["default_popup"]
    yield content["options_ui"]["page"]
    background = content["background"]
    yield from background.get("scripts", [background.get("service_worker")])


def check(browser, path):
    with zipfile.ZipFile(path) as archive:
        if archive.testzip():
            raise Wrong(f"{path} is damaged")
        content = json.loads(archive.read("manifest.json"))
        missing = set(named(content)) - set(archive.namelist())
    if missing:
        raise Wrong(f"{path} lacks {', '.join(sorted(missing))}")
    if browser == "firefox" and "id" not in content["browser_specific_settings"]["gecko"]:
        raise Wrong("Firefox needs an id")


def opacity(path):
    """The rows of a PNG of 8 bits with transparency (RFC 2083), as the opacity of each pixel."""
    with open(path, "rb") as file:
        data = file.read()
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    if (depth, kind) != (8, 6):
        raise Wrong(f"{path} has no transparency")
    packed, at = b"", 8
    while at < len(data):
        length, = struct.unpack(">I", data[at:at + 4])
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    raw, before, rows = zlib.decompress(packed), bytearray(width * 4), []
    for row in range(height):
        start = row * (width * 4 + 1)
        before = unfiltered(raw[start], raw[start + 1:start + 1 + width * 4], before)
        rows.append(before[3::4])
    return rows


def unfiltered(kind, line, above):
    line = bytearray(line)
    for index, value in enumerate(line):
        left, corner = (line[index - 4], above[index - 4]) if index >= 4 else (0, 0)
        up = above[index]
        guess = left + up - corner
        paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up),
                    (abs(guess - corner), 2, corner))[2]
        line[index] = (value + (0, left, up, (left + up) // 2, paeth)[kind]) & 255
    return line


def check_icon():
    rows = opacity(f"{SOURCES}/icons/{ICON}.png")
    for row, line in enumerate(rows):
        for column, value in enumerate(line):
            inside = all(EDGE <= each < ICON - EDGE for each in (row, column))
            if value and not inside:
                raise Wrong(f"the icon has a dot at {column}, {row}, within its edge of {EDGE}")


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    output = sys.argv[1]
    os.makedirs(output, exist_ok=True)
    version = json.loads(manifest("firefox"))["version"]
    check_icon()
    for browser in FOREIGN:
        path = f"{output}/kettle-{browser}-{version}.zip"
        pack(browser, path)
        check(browser, path)
        print(f"extension: {path}, {os.path.getsize(path)} bytes")


try:
    main()
except Wrong as problem:
    raise SystemExit(f"extension: {problem}") from None
