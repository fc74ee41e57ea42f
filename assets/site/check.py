#!/usr/bin/env python3
"""Checks a site that build.py has made, and names what is wrong with it.

    check.py SITE

- No link and no anchor leads nowhere.
- No page, style sheet, script or picture requests anything from another place, and each page
  forbids it to the browser too.
- Each page has one title, a heading of each level above a heading, text for pictures, names for
  landmarks, and ids that are there once.
- Text has the contrast that WCAG 2.2 asks for (1.4.3), in both color schemes.
- The index for searching leads to places that exist.
"""

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}

# What a browser follows by itself.
LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src",
          "video": "src", "audio": "src", "object": "data", "embed": "src"}


class Page(HTMLParser):
    """What a page links to, loads and contains."""

    def __init__(self, path, text):
        super().__init__()
        self.path = path
        self.ids, self.links, self.loads, self.problems = {}, [], [], []
        self.levels, self.open, self.landmarks = [], [], []
        self.language = self.policy = None
        self.has_title = False
        self.feed(text)
        self.close()
        if self.open:
            self.problems.append(f"<{self.open[-1]}> has no end")

    def handle_starttag(self, tag, pairs):
        attributes = dict(pairs)
        if tag not in VOID:
            self.open.append(tag)
        name = attributes.get("id")
        if name is not None:
            self.ids[name] = self.ids.get(name, 0) + 1
        if tag == "html":
            self.language = attributes.get("lang")
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes.get("content")
        self.has_title = self.has_title or tag == "title"
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        if LOADED.get(tag) in attributes:
            self.loads.append(attributes[LOADED[tag]])
        if "srcset" in attributes or "style" in attributes:
            self.problems.append(f"<{tag}> has an attribute that the site does not use")
        if any(key.startswith("on") for key in attributes):
            self.problems.append(f"<{tag}> has a script in an attribute")
        if tag in ("script", "style") and "src" not in attributes:
            self.problems.append(f"<{tag}> is inside the page")
        if tag == "img" and not attributes.get("alt") and ("main" in self.open or "alt" not in attributes):
            self.problems.append(f"{attributes.get('src')} has no text")
        if tag in ("main", "header", "footer"):
            self.landmarks.append(tag)
        if tag == "nav" and not attributes.get("aria-label"):
            self.problems.append("<nav> has no name")
        if re.fullmatch("h[1-6]", tag) and "nav" not in self.open:
            self.levels.append(int(tag[1]))

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.problems.append(f"</{tag}> ends nothing")
        else:
            self.open.pop()

    def own_problems(self):
        yield from self.problems
        yield from (f"#{name} is there {count} times" for name, count in self.ids.items() if count > 1)
        if self.language != "en":
            yield "the language is not named"
        if not self.has_title:
            yield "it has no title"
        if "default-src 'none'" not in (self.policy or ""):
            yield "it permits the browser to load from anywhere"
        if sorted(self.landmarks) != ["footer", "header", "main"]:
            yield f"its landmarks are {self.landmarks}"
        if self.levels.count(1) != 1:
            yield f"it has {self.levels.count(1)} headings of the first level"
        for above, below in zip([0] + self.levels, self.levels):
            if below > above + 1:
                yield f"a heading of level {below} follows one of level {above}"
                break


def link_problems(page, pages, files, links):
    """Yields the links that lead nowhere."""
    for link in links:
        parts = urlsplit(link)
        if parts.scheme in ("http", "https", "mailto"):
            continue
        if parts.scheme or parts.netloc:
            yield f"\"{link}\" is of a scheme that the site does not use"
            continue
        target = page.path if not parts.path else normal(page.path, unquote(parts.path))
        if target not in files:
            yield f"\"{link}\" leads to no file"
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
            yield f"\"{link}\" leads to no place on that page"


def normal(page, path):
    """Returns the file that a relative path on a page means, or None above the site."""
    parts = page.split("/")[:-1]
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def load_problems(page, files):
    for address in page.loads:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            yield f"it loads \"{address}\" from elsewhere"
        elif normal(page.path, unquote(parts.path)) not in files:
            yield f"it loads \"{address}\", which is not there"


def foreign_requests(name, text):
    """Yields what a style sheet, script or picture would request."""
    if name.endswith(".css") and re.search(r"url\(|@import|@font-face", text):
        yield "it loads something"
    if name == "site.js" and re.search(r"https?:|fetch\(|XMLHttpRequest|WebSocket|import\(", text):
        yield "it requests something"
    if name.endswith(".svg"):
        for address in re.findall(r"""(?:href|src)\s*=\s*["']([^"']*)|url\(([^)]*)\)""", text):
            if not "".join(address).strip("'\"").startswith("#"):
                yield f"it loads \"{''.join(address)}\""
        if re.search(r"<script|<foreignObject|@import|\son\w+=", text):
            yield "it has a script or a foreign part"


# --- Contrast -------------------------------------------------------------------------------------


def luminance(color):
    """Returns the relative luminance of WCAG 2.2 of a color such as #1e2227."""
    def linear(value):
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
    red, green, blue = (linear(int(color[i:i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast_problems(style):
    """Yields pairs of colors that are too close to read."""
    schemes = [dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", block))
               for block in re.findall(r"\{([^{}]*--paper:[^{}]*)\}", style)]
    if len(schemes) != 3 or schemes[1] != schemes[2]:
        yield "it does not have one light and one dark color scheme, the latter twice"
    for scheme in schemes:
        for back in ("paper", "raised", "mark"):
            for front in ("ink",) if back == "mark" else ("ink", "faint", "link"):
                one, two = sorted((luminance(scheme[back]), luminance(scheme[front])))
                ratio = (two + 0.05) / (one + 0.05)
                if ratio < 4.5:
                    yield f"{front} on {back}: {scheme[front]} on {scheme[back]} is {ratio:.1f}, not 4.5"


# --- All ------------------------------------------------------------------------------------------


def unreachable(pages):
    """Yields pages that no chain of links from the first page leads to."""
    seen, waiting = {"index.html"}, ["index.html"]
    while waiting:
        page = pages[waiting.pop()]
        for link in page.links:
            parts = urlsplit(link)
            target = normal(page.path, unquote(parts.path)) if not parts.scheme else None
            if target in pages and target not in seen:
                seen.add(target)
                waiting.append(target)
    yield from sorted(set(pages) - seen)


def main(folder):
    files = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    pages = {name: Page(name, path.read_text(encoding="utf-8"))
             for name, path in files.items() if name.endswith(".html")}
    problems = []
    for name, page in sorted(pages.items()):
        found = [*page.own_problems(), *link_problems(page, pages, files, page.links),
                 *load_problems(page, files)]
        problems += [f"{name}: {problem}" for problem in found]
    for name, path in sorted(files.items()):
        if name.endswith((".css", ".js", ".svg")):
            text = path.read_text(encoding="utf-8")
            problems += [f"{name}: {problem}" for problem in foreign_requests(name, text)]
    style = files["site.css"].read_text()
    problems += [f"site.css: {problem}" for problem in contrast_problems(style)]
    index = files["search.js"].read_text(encoding="utf-8")
    rows = json.loads(index[len("kettleSearch("):-len(");\n")])
    start = Page("index.html", "<html></html>")
    links = [row[2] for row in rows]
    problems += [f"search.js: {problem}" for problem in link_problems(start, pages, files, links)]
    problems += [f"{name}: no link leads to it" for name in unreachable(pages)]
    if len(pages) < 60 or len(rows) < 500:
        problems.append(f"it has only {len(pages)} pages and {len(rows)} sections")
    for problem in problems[:50]:
        print(f"site: {problem}", file=sys.stderr)
    if problems:
        sys.exit(f"site: {len(problems)} problems")
    links = sum(len(page.links) for page in pages.values())
    size = sum(path.stat().st_size for path in files.values())
    print(f"site: {len(pages)} pages, {links} links and {len(rows)} sections are right; "
          f"{size / 1e6:.1f} MB in {len(files)} files")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
