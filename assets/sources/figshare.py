"""A server that speaks the part of figshare's API that downloads an article.

    python3 figshare.py PORT DIRECTORY

DIRECTORY has the files of version 3 of the article 2000005. The list also names a link to a page of
another site, which stands for itself here. The digests are those that the files have when the server
starts. The forms are those of docs.figshare.com/swagger.json; a client that was made of it downloads from
here before Kettle does. The URL of a file leads to a signed one that ends ten seconds later, as at figshare.
"""
import hashlib, hmac, os, sys, time, urllib.parse
from answers import Answers, names_below, serve

port, root = int(sys.argv[1]), sys.argv[2]
article = "/v2/articles/2000005"
key = os.urandom(32)


def entry(number, path):
    with open(os.path.join(root, path), "rb") as file:
        data = file.read()
    md5 = hashlib.md5(data).hexdigest()
    found = {"id": number, "name": os.path.basename(path), "size": len(data), "is_link_only": False}
    return {**found, "computed_md5": md5, "supplied_md5": md5, "mimetype": "application/octet-stream"}


paths = dict(enumerate(names_below(root), start=3000001))
by_id = {number: entry(number, path) for number, path in paths.items()}
folders = {str(number): os.path.dirname(path) for number, path in paths.items() if os.path.dirname(path)}
link = {"id": 3000000, "name": "A page", "size": 0, "is_link_only": True, "computed_md5": "", "supplied_md5": ""}


def files(base):
    """The list, with the URLs of the server as the client names it."""
    linked = [{**link, "download_url": base + "/page"}]
    return linked + [{**found, "download_url": f"{base}/files/{number}"} for number, found in by_id.items()]


def details(base):
    return {
        "id": 2000005,
        "title": "An article",
        "doi": "10.6084/m9.figshare.2000005.v3",
        "version": 3,
        "defined_type_name": "dataset",
        "size": sum(found["size"] for found in by_id.values()),
        "status": "public",
        "is_public": True,
        "is_embargoed": False,
        "has_linked_file": True,
        "download_disabled": False,
        "files": files(base)[:10],
        "folder_structure": folders,
        "url": base + article,
        "url_public_api": base + article,
    }


def signature(number, date):
    return hmac.new(key, f"{number} {date}".encode(), "sha256").hexdigest()


class Handler(Answers):
    def do_GET(self):
        base = "http://" + self.headers["Host"]
        parts = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        kind, _, last = parts.path[1:].partition("/")
        number = int(last) if last.isdecimal() else 0
        if parts.path in (article, article + "/versions/3"):
            self.answer_json(details(base))
        elif parts.path in (article + "/files", article + "/versions/3/files"):
            page, size = int(query.get("page", 1)), int(query.get("page_size", 10))
            if not 1 <= size <= 1000:
                return self.answer_error(400, "page_size must be between 1 and 1000")
            self.answer_json(files(base)[(page - 1) * size : page * size])
        elif parts.path == "/page":
            self.answer(200, b"<title>A page</title>", [("Content-Type", "text/html")])
        elif kind == "files" and number in paths:
            date = int(time.time())
            signed = {"X-Amz-Date": date, "X-Amz-Expires": 10, "X-Amz-Signature": signature(number, date)}
            self.answer(302, b"", [("Location", f"{base}/store/{number}?{urllib.parse.urlencode(signed)}")])
        elif kind == "store" and number in paths:
            date = int(query.get("X-Amz-Date", 0))
            if query.get("X-Amz-Signature") != signature(number, date) or time.time() > date + 10:
                return self.answer(403, b"<Error><Code>AccessDenied</Code></Error>")
            # Its ETag is the digest of the list, even if the file has been damaged.
            self.answer_file(os.path.join(root, paths[number]), f'"{by_id[number]["computed_md5"]}"')
        else:
            self.answer_error(404, "Entity not found: article")

    def answer_error(self, status, message):
        self.answer_json({"message": message, "code": "EntityNotFound" if status == 404 else "Invalid"}, status=status)


serve(port, Handler)
