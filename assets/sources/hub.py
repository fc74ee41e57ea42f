"""A server that speaks the part of Hugging Face's API that downloads a repository.

    python3 hub.py PORT DIRECTORY [PAGE]

DIRECTORY is the repository org/model at the revision main; each page of the tree has PAGE entries.
Files of more than 1 KiB are in LFS, and are served after a redirect. The forms are those of
huggingface.co/docs/hub/api; huggingface_hub downloads from it before Kettle does.
"""
import hashlib, http.server, json, os, re, sys, urllib.parse

port, root, page = int(sys.argv[1]), sys.argv[2], int(sys.argv[3] if len(sys.argv) > 3 else 1000)
sha = hashlib.sha1(root.encode()).hexdigest()


def files():
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), root)


def entry(path):
    with open(os.path.join(root, path), "rb") as file:
        data = file.read()
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
    found = {"type": "file", "oid": blob, "size": len(data), "path": path}
    if len(data) > 1024:
        found["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}
    return found


entries = [entry(path) for path in files()]
by_path = {found["path"]: found for found in entries}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def answer_json(self, value, headers=()):
        self.answer(200, json.dumps(value).encode(), [("Content-Type", "application/json"), *headers])

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        path, query = urllib.parse.unquote(url.path), urllib.parse.parse_qs(url.query)
        if path.startswith("/api/models/org/model/revision/"):
            revision = path.rsplit("/", 1)[1]
            if revision not in ("main", sha):
                return self.answer(404, b'{"error":"Revision Not Found"}', [("X-Error-Code", "RevisionNotFound")])
            siblings = [{"rfilename": found["path"]} for found in entries]
            return self.answer_json({"id": "org/model", "sha": sha, "siblings": siblings})
        if path.startswith("/api/models/org/model/tree/"):
            first = int(query.get("cursor", ["0"])[0])
            link = []
            if first + page < len(entries):
                host = self.headers["Host"]
                link = [("Link", f'<http://{host}{url.path}?recursive=true&cursor={first + page}>; rel="next"')]
            return self.answer_json(entries[first : first + page], link)
        match = re.match(r"/org/model/resolve/([^/]+)/(.*)", path)
        if match and match[2] in by_path:
            found = by_path[match[2]]
            headers = [("X-Repo-Commit", sha), ("Accept-Ranges", "bytes")]
            if "lfs" not in found:
                return self.send(found, [("ETag", f'"{found["oid"]}"'), *headers])
            headers += [("X-Linked-Size", str(found["size"])), ("X-Linked-Etag", f'"{found["lfs"]["oid"]}"')]
            # Another origin, as that of the storage is.
            location = f"http://localhost:{port}/lfs/" + urllib.parse.quote(found["path"])
            return self.answer(302, b"", [("Location", location), *headers])
        if path.startswith("/lfs/") and path[5:] in by_path:
            found = by_path[path[5:]]
            return self.send(found, [("ETag", f'"{found["lfs"]["oid"]}"'), ("Accept-Ranges", "bytes")])
        self.answer(404, b'{"error":"not found"}')

    def send(self, found, headers):
        with open(os.path.join(root, found["path"]), "rb") as file:
            data = file.read()
        part = re.match(r"bytes=(\d+)-(\d*)$", self.headers.get("Range", ""))
        if not part:
            return self.answer(200, data, headers)
        first, last = int(part[1]), min(int(part[2] or len(data) - 1), len(data) - 1)
        if first >= len(data):
            return self.answer(416, b"", [("Content-Range", f"bytes */{len(data)}")])
        self.answer(206, data[first : last + 1], [*headers, ("Content-Range", f"bytes {first}-{last}/{len(data)}")])


http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
