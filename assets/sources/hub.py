"""A server that speaks the part of Hugging Face's API that downloads a repository.

    python3 hub.py PORT DIRECTORY [PAGE]

DIRECTORY is the model org/model, and the dataset org/data, at the revision main; each page of the tree has
PAGE entries. Files of more than 1 KiB are in LFS, and are served after a redirect. The forms are those of
huggingface.co/docs/hub/api; huggingface_hub downloads from it before Kettle does.
"""
import hashlib, os, re, sys, urllib.parse
from answers import Answers, names_below, serve

REPOSITORY = "(?:org/model|datasets/org/data)"
API = "/api/(?:models/org/model|datasets/org/data)"


def entry(root, path):
    with open(os.path.join(root, path), "rb") as file:
        data = file.read()
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
    found = {"type": "file", "oid": blob, "size": len(data), "path": path}
    if len(data) > 1024:
        found["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}
    return found


def hub(root, page, scheme, storage):
    """Returns a class of handlers; `storage` is the origin of files in LFS."""
    sha = hashlib.sha1(root.encode()).hexdigest()
    entries = [entry(root, path) for path in names_below(root)]
    by_path = {found["path"]: found for found in entries}

    class Handler(Answers):
        def do_GET(self):
            url = urllib.parse.urlsplit(self.path)
            path, query = urllib.parse.unquote(url.path), urllib.parse.parse_qs(url.query)
            match = re.match(API + "/revision/([^/]+)$", path)
            if match and match[1] not in ("main", sha):
                return self.answer(404, b'{"error":"Revision Not Found"}', [("X-Error-Code", "RevisionNotFound")])
            if match:
                siblings = [{"rfilename": found["path"]} for found in entries]
                return self.answer_json({"id": "org/model", "sha": sha, "siblings": siblings})
            if re.match(API + "/tree/", path):
                first = int(query.get("cursor", ["0"])[0])
                link = []
                if first + page < len(entries):
                    here = f"{scheme}://{self.headers['Host']}{url.path}"
                    link = [("Link", f'<{here}?recursive=true&cursor={first + page}>; rel="next"')]
                return self.answer_json(entries[first : first + page], link)
            match = re.match(f"/{REPOSITORY}/resolve/[^/]+/(.*)", path)
            if match and match[1] in by_path:
                found = by_path[match[1]]
                headers = [("X-Repo-Commit", sha)]
                if "lfs" not in found:
                    return self.send(found, found["oid"], headers)
                lfs = found["lfs"]["oid"]
                headers += [("X-Linked-Size", str(found["size"])), ("X-Linked-Etag", f'"{lfs}"')]
                # Another origin, as that of the storage is.
                location = f"{storage}/lfs/" + urllib.parse.quote(found["path"])
                return self.answer(302, b"", [("Location", location), ("Accept-Ranges", "bytes"), *headers])
            if path.startswith("/lfs/") and path[5:] in by_path:
                found = by_path[path[5:]]
                return self.send(found, found["lfs"]["oid"])
            self.answer(404, b'{"error":"not found"}')

        def send(self, found, oid, headers=()):
            self.answer_file(os.path.join(root, found["path"]), f'"{oid}"', headers)

    return Handler


if __name__ == "__main__":
    port = int(sys.argv[1])
    page = int(sys.argv[3] if len(sys.argv) > 3 else 1000)
    serve(port, hub(sys.argv[2], page, "http", f"http://localhost:{port}"))
