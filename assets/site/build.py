#!/usr/bin/env python3
"""Makes the site of Kettle: plain files that a browser shows from a disk or from any server.

    build.py MANUAL LIBRARY SITE

MANUAL is the folder of assets/package/man.sh. LIBRARY is the folder of assets/docs.sh; if it is not
there, a page says so in place of the library's documentation. SITE is written anew. Everything in
it depends on these and on the documents only, so the same input gives the same bytes.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

# The folder of the sources stays as it is.
sys.dont_write_bytecode = True
import library  # noqa: E402

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent

# The menu: titles of groups, and in each the documents with their short titles. A document that is
# in no group is an error, so that none is forgotten.
MENU = [
    ("Start", [
        ("README.md", "Kettle"),
        ("docs/tutorial.md", "Five minutes"),
        ("docs/installing.md", "Installing"),
        ("docs/coming-from.md", "Coming from …"),
    ]),
    ("Use", [
        ("docs/commands.md", "Commands"),
        ("docs/keybindings.md", "Keys"),
        ("docs/configuration.md", "Configuration"),
        ("docs/collections.md", "Collections"),
        ("docs/verifying.md", "Is my file right?"),
        ("docs/browser.md", "Browsers"),
        ("docs/privacy.md", "Privacy"),
        ("docs/rpc.md", "aria2's RPC"),
        ("docs/object-stores.md", "Object stores"),
        ("docs/fleet.md", "Fleets"),
        ("docs/operating.md", "Operating"),
        ("docs/environment.md", "Environment"),
        ("manual/", "Manual pages"),
    ]),
    ("Program with it", [
        ("library/", "Swift library"),
        ("docs/protocol.md", "Control protocol"),
    ]),
    ("How it works", [
        ("docs/architecture.md", "Architecture"),
        ("docs/states.md", "States"),
        ("docs/downloading.md", "Downloading"),
        ("docs/durability.md", "Durability"),
        ("docs/faults.md", "Faults"),
        ("docs/performance.md", "Performance"),
        ("docs/testing.md", "Testing"),
        ("docs/logging.md", "Logging"),
        ("docs/decisions/README.md", "Decisions"),
    ]),
    ("Project", [
        ("CHANGELOG.md", "Changes"),
        ("docs/versions.md", "Versions"),
        ("CONTRIBUTING.md", "Contributing"),
        ("SECURITY.md", "Security"),
        ("LICENSE", "License"),
    ]),
]

# An example that a page shows as a file.
COMPOSE = "assets/package/compose.yaml"

# Where a picture for a dark page has a counterpart for a light one.
LIGHT = {"pictures/list.svg": "pictures/list-light.svg"}

LIBRARY_SOURCES = "Sources/BackgroundTransfer/Documentation.docc"


class Failure(Exception):
    """What a person has to mend; the message says where."""


def place(path):
    """Returns where a file of the repository is on the site, or None if it is not there."""
    if path == "README.md":
        return "index.html"
    if path.rstrip("/") == "docs/decisions":
        return "decisions/index.html"
    if path.rstrip("/") == LIBRARY_SOURCES:
        return "library/index.html"
    if path.startswith(LIBRARY_SOURCES + "/") and path.endswith(".md"):
        name = path.rsplit("/", 1)[1][:-3].lower()
        return library.article(name)
    if path in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"):
        return path[:-3].lower() + ".html"
    if path == "LICENSE":
        return "LICENSE.txt"
    if path == COMPOSE:
        return "compose.yaml"
    if path in ("manual/", "library/"):
        return path + "index.html"
    if path.startswith("docs/pictures/"):
        return path[len("docs/"):]
    if path.startswith("docs/") and path.endswith(".md"):
        return path[len("docs/"):-3].replace("README", "index") + ".html"
    return None


def relative(target, page):
    """Returns the link from one file of the site to another."""
    return os.path.relpath(target, os.path.dirname(page) or ".")


# --- Elements -------------------------------------------------------------------------------------


def parsed(html):
    """Returns an element that contains the elements of well-formed HTML."""
    return ElementTree.fromstring("<div>" + html + "</div>")


def written(element):
    """Returns the HTML inside of an element."""
    parts = [escaped(element.text or "")]
    for child in element:
        parts.append(ElementTree.tostring(child, encoding="unicode", method="html"))
    return "".join(parts)


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def words(element):
    """Returns the text of an element with single blanks, also where a line breaks."""
    return " ".join("".join(texts(element)).split())


def texts(element):
    """Yields the pieces of text of an element."""
    yield " " if element.tag == "br" else element.text or ""
    for child in element:
        yield from texts(child)
        yield child.tail or ""


def parents(root):
    return {child: parent for parent in root.iter() for child in parent}


def replace(parent, old, new):
    new.tail, old.tail = old.tail, None
    parent[list(parent).index(old)] = new


def markdown(text):
    """Returns the elements of a document. Of HTML in it, only comments and line breaks are understood."""
    command = ["cmark-gfm", "--unsafe", "--extension", "table", "--extension", "strikethrough"]
    made = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return parsed(re.sub("<!--.*?-->", "", made, flags=re.S).replace("<br>", "<br />"))


# --- What all pages get ---------------------------------------------------------------------------


def slug(text, taken):
    """Returns the anchor of a heading, as readers of Markdown files make it."""
    kept = "".join(c for c in text.lower() if c.isalnum() or c in " -_").replace(" ", "-")
    count = taken.get(kept, 0)
    taken[kept] = count + 1
    return f"{kept}-{count}" if count else kept


def mark_headings(root):
    """Gives each heading an anchor and a link to it. Returns those of the second level."""
    taken = {}
    found = []
    for heading in root.iter():
        if not re.fullmatch("h[1-6]", heading.tag):
            continue
        title = words(heading)
        anchor = heading.get("id") or slug(title, taken)
        heading.set("id", anchor)
        if heading.tag == "h2":
            found.append((anchor, title))
        if heading.tag != "h1":
            link = SubElement(heading, "a", {"class": "anchor", "href": "#" + anchor})
            link.set("aria-label", "Link to “" + title + "”")
            link.text = "#"
    return found


def arrange_tables(root):
    """Makes tables fit phones: rows of prose become blocks there, rows of figures scroll."""
    for table in list(root.iter("table")):
        head = table.find("thead")
        titles = [words(cell) for cell in head.iter("th")] if head is not None else []
        rows = [list(row) for row in table.iter("tr") if row.find("td") is not None]
        if head is not None and not any(titles):
            table.remove(head)
        if any(cell.find("img") is not None for row in rows for cell in row):
            table.set("class", "pictures")
            continue
        longest = max((len(words(cell)) for row in rows for cell in row), default=0)
        if longest > 60 and len(titles) < 7:
            table.set("class", "prose")
            for row in rows:
                for title, cell in zip(titles, row):
                    if title:
                        cell.set("data-title", title)
        box = Element("div", {"class": "scrolls"})
        replace(parents(root)[table], table, box)
        box.append(table)
        if table.get("class") != "prose":
            box.set("tabindex", "0")
            box.set("role", "region")
            box.set("aria-label", "Table: " + (", ".join(t for t in titles if t) or "two columns"))


def arrange_code(root):
    """Lets blocks of code scroll by keys, keeps short code on one line, and draws no diagrams."""
    inside = parents(root)
    for code in root.iter("code"):
        if inside[code].tag != "pre" and len(words(code)) <= 24:
            code.set("class", "short")
    for block in list(root.iter("pre")):
        block.set("tabindex", "0")
        code = block.find("code")
        if code is not None and code.get("class") == "language-mermaid":
            lines = "".join(code.itertext()).splitlines()
            replace(parents(root)[block], block, transitions(lines))


def transitions(lines):
    """Returns the list of what a state diagram draws: from where to where, and when."""
    drawn = Element("ul", {"class": "transitions"})
    for line in lines:
        match = re.fullmatch(r"\s*(\S+) --> ([^\s:]+)(?:: (.*))?", line)
        if not match:
            continue
        item = SubElement(drawn, "li")
        start, end = (name.replace("[*]", "") for name in match.group(1, 2))
        SubElement(item, "code").text = start or "new"
        item[0].tail = " → "
        SubElement(item, "code").text = end or "gone"
        item[1].tail = ": " + match.group(3) if match.group(3) else ""
    return drawn


def arrange_pictures(root, page):
    """Puts pictures into frames that lead to the whole picture."""
    for picture in list(root.iter("img")):
        source = picture.get("src")
        frame = Element("a", {"class": "picture", "href": source})
        replace(parents(root)[picture], picture, frame)
        frame.append(picture)
        picture.set("loading", "lazy")
        title = os.path.normpath(os.path.join(os.path.dirname(page), source))
        if title in LIGHT:
            picture.set("class", "dark")
            light = SubElement(frame, "img", dict(picture.attrib))
            light.set("class", "light")
            light.set("src", relative(LIGHT[title], page))
        if title.startswith("pictures/growth-"):
            frame.set("class", "picture plot")


def follow_links(root, document, page):
    """Turns links between files of the repository into links between pages."""
    for element in root.iter():
        name = {"a": "href", "img": "src"}.get(element.tag)
        target = element.get(name or "")
        if target is None or target.startswith("#") or "://" in target:
            continue
        path, _, anchor = target.partition("#")
        full = os.path.normpath(os.path.join(os.path.dirname(document), path))
        if path.endswith("/"):
            full += "/"
        if place(full) is None or not (TOP / full).exists():
            raise Failure(f"{document}: \"{target}\" leads to nothing that is on the site")
        element.set(name, relative(place(full), page) + ("#" + anchor if anchor else ""))
        if element.tag == "a" and words(element).endswith(path) and full.endswith(".md"):
            element.text = title_of(full)
            for child in list(element):
                element.remove(child)


def title_of(document):
    """Returns the title of a document, which says more on a site than its path."""
    for line in (TOP / document).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            return line[2:].replace("`", "")
    raise Failure(f"{document} has no title")


# --- Pages ----------------------------------------------------------------------------------------


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.template = (HERE / "page.html").read_text()
        self.index = []
        self.version = re.search(
            'static let text = "(.*)"',
            (TOP / "Sources/KettleControl/ProtocolVersion.swift").read_text()).group(1)

    def write(self, page, text):
        path = self.folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def menu(self, page):
        lines = []
        for number, (group, entries) in enumerate(MENU):
            lines.append(f'<h2 id="menu-{number}">{group}</h2>\n<ul aria-labelledby="menu-{number}">')
            for document, title in entries:
                target = place(document)
                current = ' aria-current="page"' if target == page else ""
                lines.append(f'<li><a href="{relative(target, page)}"{current}>{title}</a></li>')
            lines.append("</ul>")
        return "\n".join(lines)

    def contents(self, headings):
        if len(headings) < 3:
            return ""
        items = "".join(f'<li><a href="#{a}">{escaped(t)}</a></li>\n' for a, t in headings)
        return ('<details class="contents" open><summary>On this page</summary>\n'
                f'<nav aria-label="On this page"><ul>\n{items}</ul></nav></details>')

    def add(self, page, body, kind, headings=None):
        """Writes a page with the elements of `body`, and adds it to the index for searching."""
        first = body.find("h1")
        title = words(first)
        # Anchors are for readers of the page, not for its title or the index.
        self.index_sections(page, title, body, kind)
        found = mark_headings(body)
        root = os.path.relpath(".", os.path.dirname(page) or ".")
        whole = title if page == "index.html" else title + " · Kettle"
        summary = next((words(p) for p in body.iter("p") if len(words(p)) > 60), title)
        values = {
            "title": escaped(whole),
            "summary": escaped(summary[:160]).replace('"', "&quot;"),
            "root": root,
            "menu": self.menu(page),
            "contents": self.contents(headings if headings is not None else found),
            "body": written(body),
            "version": self.version,
            "home": relative("index.html", page),
            "class": kind,
        }
        self.write(page, re.sub(r"\{\{(\w+)\}\}", lambda m: values[m.group(1)], self.template))

    def index_sections(self, page, title, body, kind):
        """Adds a section for each heading, with the text below it."""
        taken = {}
        section = None
        for element in body.iter():
            if re.fullmatch("h[1-6]", element.tag):
                heading = words(element)
                anchor = element.get("id") or slug(heading, taken)
                link = page if element.tag == "h1" else f"{page}#{anchor}"
                section = {"page": title, "title": heading, "link": link, "kind": kind, "text": ""}
                self.index.append(section)
            elif section is not None and element.tag in ("p", "pre", "li", "td", "th", "dt", "dd"):
                # The text of a list item with paragraphs comes with them.
                if not any(child.tag in ("p", "ul", "ol", "pre", "dl") for child in element):
                    section["text"] += " " + words(element)

    def finish(self):
        rows = [[s["page"], s["title"], s["link"], s["kind"], s["text"].strip()] for s in self.index]
        rows = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
        # A script and not JSON, because a page that was opened from a file may not read others.
        self.write("search.js", "kettleSearch(" + rows.replace("</", "<\\/") + ");\n")
        for name in ("site.css", "site.js"):
            shutil.copyfile(HERE / name, self.folder / name)
        shutil.copyfile(TOP / "assets/package/kettle.svg", self.folder / "kettle.svg")
        shutil.copyfile(TOP / "LICENSE", self.folder / "LICENSE.txt")
        shutil.copyfile(TOP / COMPOSE, self.folder / "compose.yaml")
        shutil.copytree(TOP / "docs/pictures", self.folder / "pictures")


def documents():
    """Returns the paths of all documents; those of decisions need no place in the menu."""
    top = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
    docs = sorted(p.relative_to(TOP).as_posix() for p in (TOP / "docs").rglob("*.md"))
    listed = {document for _, entries in MENU for document, _ in entries}
    for path in top + docs:
        if path not in listed and not path.startswith("docs/decisions/0"):
            raise Failure(f"{path} has no place in the menu of assets/site/build.py")
    return top + docs


def start_page(body):
    """Moves the first picture of README.md up, behind the sentence that says what it is about."""
    pictures = [p for p in body.findall("p") if p.find("img") is not None]
    slogan = next(p for p in body.findall("p") if p.find("em") is not None)
    slogan.set("class", "slogan")
    first = pictures[0]
    body.remove(first)
    links = Element("p", {"class": "first-steps"})
    for target, title in (
        ("tutorial.html", "Five minutes with Kettle"), ("installing.html", "Install it"),
        ("coming-from.html", "Coming from another program"),
    ):
        link = SubElement(links, "a", {"href": target})
        link.text = title
        link.tail = "\n"
    position = list(body).index(slogan) + 1
    body.insert(position, first)
    body.insert(position + 1, links)


def add_documents(site):
    for document in documents():
        page = place(document)
        body = markdown((TOP / document).read_text(encoding="utf-8"))
        follow_links(body, document, page)
        if page == "index.html":
            start_page(body)
        arrange_code(body)
        arrange_tables(body)
        arrange_pictures(body, page)
        is_record = page.startswith("decisions/0") or page == "changelog.html"
        kind = "record" if is_record else "document"
        site.add(page, body, kind)


# --- Manual pages ---------------------------------------------------------------------------------


def manual_body(source, pages):
    """Returns the elements of a manual page, with headings that continue those of the site."""
    command = ["mandoc", "-T", "html", "-O", "fragment,man=%N.%S.html", str(source)]
    made = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    root = parsed(made)
    text = next(e for e in root.iter("div") if e.get("class") == "manual-text")
    for element in list(text.iter()):
        element.attrib.pop("style", None)
        if re.fullmatch("h[1-5]", element.tag):
            element.tag = f"h{int(element.tag[1]) + 1}"
    # A heading is its own link here; the site adds one of its own.
    for parent in list(text.iter()):
        for link in [e for e in parent if e.tag == "a" and "permalink" in e.get("class", "")]:
            link.tag = "span"
            link.attrib.clear()
    for link in text.iter("a"):
        if link.get("href") in pages or link.get("href", "#").startswith("#"):
            continue
        link.tag = "span"
        link.attrib.clear()
    return flatten(text)


def flatten(element):
    """Takes the elements of nested sections out of them."""
    for section in [e for e in element if e.tag == "section"]:
        position = list(element).index(section)
        element.remove(section)
        for offset, child in enumerate(list(section)):
            element.insert(position + offset, child)
        return flatten(element)
    return element


def add_manual(site, folder):
    sources = sorted(p for p in folder.iterdir() if re.search(r"\.[157]$", p.name))
    if not sources:
        raise Failure(f"{folder} has no manual pages")
    pages = {source.name + ".html" for source in sources}
    rows = []
    for source in sources:
        name, section = source.name.rsplit(".", 1)
        body = manual_body(source, pages)
        title = Element("h1")
        title.text = f"{name}({section})"
        body.insert(0, title)
        arrange_tables(body)
        for block in body.iter("pre"):
            block.set("tabindex", "0")
        described = body.find(".//span[@class='Nd']")
        rows.append((source.name + ".html", title.text, words(described)))
        site.add("manual/" + source.name + ".html", body, "manual")
    body = parsed("<h1>Manual pages</h1><p>They are installed with Kettle: "
                  "<code>man kettle-get</code>, for example.</p>")
    listed = SubElement(body, "dl", {"class": "pages"})
    for link, title, text in rows:
        SubElement(SubElement(listed, "dt"), "a", {"href": link}).text = title
        SubElement(listed, "dd").text = text
    site.add("manual/index.html", body, "manual")


# --- The library ----------------------------------------------------------------------------------


def add_library(site, folder):
    if not (folder / "data/documentation").is_dir():
        body = parsed(
            "<h1>The Swift library</h1><p><code>BackgroundTransfer</code> gives Swift programs on "
            "Linux what <code>URLSession</code> gives them on Apple’s systems.</p><p>This copy of the "
            "site was made without its documentation. <code>make docs</code> and then "
            "<code>make site</code> add it; the articles are in <code>" + LIBRARY_SOURCES +
            "</code> of the sources.</p>")
        site.add("library/index.html", body, "library")
        return False
    for page, html in library.pages(folder):
        body = parsed(html)
        arrange_code(body)
        arrange_tables(body)
        site.add(page, body, "library")
    return True


def main():
    manual, documentation, folder = (Path(word) for word in sys.argv[1:4])
    library.is_there = (documentation / "data/documentation").is_dir()
    if folder.exists():
        shutil.rmtree(folder)
    site = Site(folder)
    add_documents(site)
    add_manual(site, manual)
    whole = add_library(site, documentation)
    site.finish()
    count = len(list(folder.rglob("*.html")))
    print(f"site: {count} pages in {folder}" + ("" if whole else ", without the library"))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"site: {failure}")
