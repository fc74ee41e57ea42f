"""What the servers of these checks have in common: JSON, files with ranges, and no log."""
import email.utils, http.server, json, os, re


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # The body must not wait until the client has acknowledged the header.
    disable_nagle_algorithm = True

    def log_message(self, *words):
        pass

    def do_HEAD(self):
        self.do_GET()

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def answer_json(self, value, headers=(), status=200):
        headers = [("Content-Type", "application/json"), *headers]
        self.answer(status, json.dumps(value).encode(), headers)

    def answer_file(self, path, etag, headers=()):
        """Sends a file, or the one range of it that is asked for (RFC 9110, section 14), or 404.

        Without an ETag no answer says its version.
        """
        try:
            with open(path, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            return self.answer(404)
        changed = email.utils.formatdate(os.stat(path).st_mtime, usegmt=True)
        versions = [("ETag", etag), ("Last-Modified", changed)] if etag else []
        headers = [*versions, ("Accept-Ranges", "bytes"), *headers]
        part = re.match(r"bytes=(\d+)-(\d*)$", self.headers.get("Range", ""))
        if not part or self.headers.get("If-Range", etag) not in (etag, changed):
            return self.answer(200, data, headers)
        first, last = int(part[1]), min(int(part[2] or len(data) - 1), len(data) - 1)
        if first >= len(data):
            return self.answer(416, b"", [("Content-Range", f"bytes */{len(data)}")])
        there = [*headers, ("Content-Range", f"bytes {first}-{last}/{len(data)}")]
        self.answer(206, data[first : last + 1], there)


def names_below(root):
    """The paths of all files, sorted."""
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), root)


def serve(port, handler):
    http.server.ThreadingHTTPServer(("127.0.0.1", port), handler).serve_forever()
