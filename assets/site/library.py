"""Makes pages from what docc has made of the library's documentation.

docc writes data for a program that runs in the browser, and that needs a server with a known path.
These pages need neither. There is one for each article and each type, with the members of a type on
its page.
"""

import json
import re
from html import escape
from pathlib import Path

# Whether docc has made the documentation; otherwise links to it lead to the page that says so.
is_there = False

MODULE = "/documentation/backgroundtransfer"

# Every type has them.
UNSAID = {"Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype"}


def article(name):
    """Returns the page of an article."""
    return f"library/{name}.html" if is_there else "library/index.html"


def pages(folder):
    """Yields the path and the HTML of each page."""
    source = Source(folder)
    for url in source.tops:
        yield source.place(url)[0], Writer(source, url).page()


class Source:
    """The documents of docc, and where each is on the site."""

    def __init__(self, folder):
        self.folder = folder / "data"
        names = sorted(p.stem for p in (self.folder / MODULE[1:]).glob("*.json"))
        self.tops = [MODULE] + [f"{MODULE}/{name}" for name in names]
        self.places = {}
        for url in self.tops:
            self.find_members(url, url)

    def document(self, url):
        path = Path(f"{self.folder}{url}.json")
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None

    def find_members(self, url, top):
        """Notes where a document is, and those that it has as members."""
        anchor = url[len(top) + 1:].replace("/", ".")
        page = "index" if top == MODULE else top[len(MODULE) + 1:]
        self.places[url] = (f"library/{page}.html", anchor)
        if top == MODULE:
            return
        for _, members in self.members(url):
            for member in members:
                self.find_members(member, top)

    def members(self, url):
        """Yields the title of each group of members, with their addresses."""
        document = self.document(url)
        for group in document.get("topicSections", []):
            references = [document["references"].get(name, {}) for name in group["identifiers"]]
            found = [r["url"] for r in references
                     if r.get("kind") == "symbol" and r.get("role") == "symbol"
                     and r.get("url", "").startswith(url + "/") and self.document(r["url"])]
            if found:
                yield group["title"], found

    def place(self, url):
        """Returns the page and the anchor of a document, or None if it is on no page."""
        return self.places.get(url)


class Writer:
    """Writes a page."""

    def __init__(self, source, url):
        self.source = source
        self.url = url
        self.here = source.place(url)[0]
        self.document = source.document(url)

    def page(self):
        title = self.document["metadata"]["title"]
        parts = [f"<h1>{escape(title)}</h1>"]
        if self.url != MODULE:
            parts.append('<p class="kind"><a href="index.html">BackgroundTransfer</a>'
                         + self.kind(self.document) + "</p>")
        parts.append(self.body(self.document, 1))
        parts.append(self.relations())
        if self.document["metadata"].get("role") == "symbol":
            for group, members in self.source.members(self.url):
                parts.append(f"<h2>{escape(group)}</h2>")
                parts += [self.member(member, 3) for member in members]
        else:
            parts.append(self.topics())
        return "\n".join(parts)

    @staticmethod
    def kind(document):
        heading = document["metadata"].get("roleHeading")
        return " · " + escape(heading) if heading else ""

    def member(self, url, level):
        """Returns the section of a member, with its own members."""
        document = self.source.document(url)
        names = url[len(self.url) + 1:].split("/")
        title = document["metadata"]["title"]
        if len(names) > 1 and "." not in title:
            title = names[0] + "." + title
        writer = Writer(self.source, self.url)
        writer.document = document
        heading = f'<h{level} id="{escape(self.source.place(url)[1])}">' \
            f"<code>{escape(title)}</code></h{level}>"
        parts = [heading, writer.body(document, level)]
        for _, members in self.source.members(url):
            parts += [self.member(member, min(level + 1, 5)) for member in members]
        return "\n".join(parts)

    def body(self, document, level):
        """Returns what a document says, with its headings below `level`."""
        parts = []
        if document.get("abstract"):
            parts.append(f"<p>{self.inline(document['abstract'])}</p>")
        for section in document.get("primaryContentSections", []):
            if section["kind"] == "declarations":
                parts += [self.declaration(one) for one in section["declarations"]]
            elif section["kind"] == "parameters":
                parts.append(self.parameters(section["parameters"]))
            elif section["kind"] == "content":
                parts.append(self.blocks(section["content"], level))
        return "\n".join(parts)

    @staticmethod
    def declaration(declaration):
        text = "".join(token["text"] for token in declaration["tokens"])
        return f'<pre class="declaration"><code class="language-swift">{escape(text)}</code></pre>'

    def parameters(self, parameters):
        rows = "".join(f"<dt><code>{escape(p['name'])}</code></dt><dd>{self.blocks(p['content'], 5)}</dd>"
                       for p in parameters)
        return f"<dl>{rows}</dl>"

    def relations(self):
        """Returns what a type inherits from and conforms to."""
        parts = []
        for section in self.document.get("relationshipsSections", []):
            names = [self.link(name) for name in section["identifiers"]]
            names = [name for name in names if re.sub("<[^>]*>", "", name) not in UNSAID]
            if names:
                parts.append(f"<p>{escape(section['title'])}: {', '.join(names)}</p>")
        return "\n".join(parts)

    def topics(self):
        """Returns the lists of what an article or the module leads to."""
        parts = []
        for section in self.document.get("topicSections", []):
            rows = []
            for name in section["identifiers"]:
                reference = self.document["references"].get(name, {})
                about = self.inline(reference.get("abstract", []))
                rows.append(f"<dt>{self.link(name)}</dt><dd>{about}</dd>")
            parts.append(f'<h2>{escape(section["title"])}</h2><dl class="pages">{"".join(rows)}</dl>')
        return "\n".join(parts)

    # --- Blocks -----------------------------------------------------------------------------------

    def blocks(self, content, level):
        parts = []
        for block in content:
            # The text below such a heading begins the page, and those below it rise.
            if block.get("type") == "heading" and block["text"] in ("Overview", "Discussion"):
                level -= 1
            else:
                parts.append(self.block(block, level))
        return "\n".join(parts)

    def block(self, block, level):
        kind = block["type"]
        if kind == "paragraph":
            return f"<p>{self.inline(block['inlineContent'])}</p>"
        if kind == "heading":
            tag = f"h{min(max(level + block['level'] - 1, 2), 6)}"
            return f"<{tag}>{escape(block['text'])}</{tag}>"
        if kind == "codeListing":
            code = escape("\n".join(block["code"]))
            return f'<pre><code class="language-{escape(block.get("syntax") or "text")}">{code}</code></pre>'
        if kind in ("unorderedList", "orderedList"):
            tag = "ul" if kind == "unorderedList" else "ol"
            items = "".join(f"<li>{self.tight(item['content'], level)}</li>" for item in block["items"])
            return f"<{tag}>{items}</{tag}>"
        if kind == "aside":
            name = escape(block.get("name") or block["style"].capitalize())
            text = self.blocks(block["content"], level)
            return f"<blockquote><p><strong>{name}</strong></p>{text}</blockquote>"
        if kind == "table":
            return self.table(block, level)
        raise ValueError(f"{self.url}: \"{kind}\" is a block that library.py does not know")

    def tight(self, content, level):
        """Returns a single paragraph without its element, as an item of a list has it."""
        if len(content) == 1 and content[0]["type"] == "paragraph":
            return self.inline(content[0]["inlineContent"])
        return self.blocks(content, level)

    def table(self, block, level):
        head, *rows = block["rows"]
        titles = "".join(f"<th>{self.tight(cell, level)}</th>" for cell in head)
        body = "".join(
            "<tr>" + "".join(f"<td>{self.tight(cell, level)}</td>" for cell in row) + "</tr>"
            for row in rows)
        return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"

    # --- Text -------------------------------------------------------------------------------------

    def inline(self, content):
        return "".join(self.span(span) for span in content)

    def span(self, span):
        kind = span["type"]
        if kind == "text":
            return escape(span["text"])
        if kind == "codeVoice":
            return f"<code>{escape(span['code'])}</code>"
        if kind in ("emphasis", "strong"):
            tag = "em" if kind == "emphasis" else "strong"
            return f"<{tag}>{self.inline(span['inlineContent'])}</{tag}>"
        if kind == "reference":
            return self.link(span["identifier"])
        raise ValueError(f"{self.url}: \"{kind}\" is text that library.py does not know")

    def link(self, identifier):
        """Returns the link to a document, or its name alone if it is on no page."""
        reference = self.document["references"].get(identifier, {})
        title = escape(reference.get("title", identifier.rsplit("/", 1)[-1]))
        url = reference.get("url", "")
        if reference.get("kind") == "symbol" or not url:
            title = f"<code>{title}</code>"
        if "://" in url:
            return f'<a href="{escape(url)}">{title}</a>'
        place = self.source.place(url)
        if place is None:
            return title
        page = "" if place[0] == self.here and place[1] else place[0].rsplit("/", 1)[1]
        return f'<a href="{escape(page + ("#" + place[1] if place[1] else ""))}">{title}</a>'
