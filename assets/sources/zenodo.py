"""A server that speaks the part of Zenodo's API that downloads a record.

    python3 zenodo.py PORT DIRECTORY

DIRECTORY has the files of the record 123. The number of all its versions is 122, which leads to 123 by a
redirect. The digests are those that the files have when the server starts. The forms are those of
developers.zenodo.org/#records; zenodo_get downloads from it before Kettle does.
"""
import hashlib, os, sys, urllib.parse, uuid
from answers import Answers, names_below, serve

port, root = int(sys.argv[1]), sys.argv[2]


def entry(path):
    with open(os.path.join(root, path), "rb") as file:
        data = file.read()
    checksum = "md5:" + hashlib.md5(data).hexdigest()
    return {"id": str(uuid.uuid4()), "key": path, "size": len(data), "checksum": checksum}


entries = [entry(path) for path in names_below(root)]
by_key = {found["key"]: found for found in entries}


def record(base):
    """The record, with links below the URL of the server as the client names it."""
    own = base + "/api/records/123"
    files = [
        {**found, "links": {"self": f"{own}/files/{urllib.parse.quote(found['key'], safe='')}/content"}}
        for found in entries
    ]
    return {
        "created": "2026-01-01T00:00:00.000000+00:00",
        "modified": "2026-01-01T00:00:00.000000+00:00",
        "id": 123,
        "recid": "123",
        "conceptrecid": "122",
        "doi": "10.5281/zenodo.123",
        "conceptdoi": "10.5281/zenodo.122",
        "title": "A record",
        "metadata": {"title": "A record", "publication_date": "2026-01-01", "version": "1.0"},
        "files": files,
        "links": {"self": own, "files": own + "/files"},
        "state": "done",
        "status": "published",
        "submitted": True,
    }


class Handler(Answers):
    def do_GET(self):
        host = self.headers["Host"]
        base = ("https://" if host == "zenodo.org" else "http://") + host
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        if path == "/api/records/122":
            return self.answer(302, b"", [("Location", base + "/api/records/123")])
        if path == "/api/records/123":
            return self.answer_json(record(base))
        key = path.removeprefix("/api/records/123/files/").removesuffix("/content")
        if path == f"/api/records/123/files/{key}/content" and key in by_key:
            # Its ETag is the digest of the list, even if the file has been damaged.
            etag = '"' + by_key[key]["checksum"].removeprefix("md5:") + '"'
            return self.answer_file(os.path.join(root, key), etag)
        missing = "The persistent identifier does not exist."
        self.answer_json({"status": 404, "message": missing}, status=404)


serve(port, Handler)
