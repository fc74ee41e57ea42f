"""A server that speaks the part of archive.org's API that downloads an item.

    python3 archive.py PORT DIRECTORY

DIRECTORY has the files of the item named "item". The digests are those that the files have when the
server starts. A file whose name begins with "on loan" is listed and not served. The forms are those of
archive.org/developers/md-read.html and md-record.html; the program of the package internetarchive
downloads from it before Kettle does, with this server as its proxy.
"""
import hashlib, os, sys, time, urllib.parse, zlib
from answers import Answers, names_below, serve

port, root = int(sys.argv[1]), sys.argv[2]
started = int(time.time())


def is_on_loan(path):
    return os.path.basename(path).startswith("on loan")


def entry(path):
    with open(os.path.join(root, path), "rb") as file:
        data = file.read()
    found = {"name": path, "source": "original", "format": "Unknown"}
    if path == "item_files.xml":
        # The list of the files changes after it has listed itself: this digest is not its own.
        return {**found, "format": "Metadata", "md5": hashlib.md5(b"others").hexdigest(), "summation": "md5"}
    # All values are strings there.
    found |= {"mtime": str(started), "size": str(len(data)), "crc32": f"{zlib.crc32(data):08x}"}
    found |= {"md5": hashlib.md5(data).hexdigest(), "sha1": hashlib.sha1(data).hexdigest()}
    return {**found, "private": "true"} if is_on_loan(path) else found


entries = [entry(path) for path in names_below(root)]
item = {
    "created": started,
    "d1": "ia800100.us.archive.org",
    "d2": "ia600100.us.archive.org",
    "dir": "/0/items/item",
    "files": entries,
    "files_count": len(entries),
    "item_last_updated": started,
    "item_size": sum(int(found.get("size", 0)) for found in entries),
    "metadata": {"identifier": "item", "mediatype": "data", "title": "An item"},
    "server": "ia800100.us.archive.org",
    "uniq": 1,
    "workable_servers": ["ia800100.us.archive.org", "ia600100.us.archive.org"],
}
by_name = {found["name"]: found for found in entries}


class Handler(Answers):
    def do_GET(self):
        # A client whose proxy this is sends the whole URL.
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        if path == "/metadata/item":
            return self.answer_json(item)
        if path.startswith("/metadata/"):
            # What it says of an item that does not exist.
            return self.answer_json({})
        if path.startswith("/download/item/"):
            name = path.removeprefix("/download/item/")
            if name not in by_name:
                return self.answer(404)
            if is_on_loan(name):
                return self.answer(403)
            # Another server has the files, as there.
            location = f"http://localhost:{port}/0/items/item/" + urllib.parse.quote(name)
            return self.answer(302, b"", [("Location", location)])
        name = path.removeprefix("/0/items/item/")
        file = os.path.join(root, name)
        if name != path and name in by_name and not is_on_loan(name) and os.path.exists(file):
            # The ETag of nginx: the date and the size.
            state = os.stat(file)
            return self.answer_file(file, f'"{int(state.st_mtime):x}-{state.st_size:x}"')
        self.answer(404)


serve(port, Handler)
