"""A server that speaks the part of Dataverse's API that downloads a dataset.

    python3 dataverse.py PORT DIRECTORY

DIRECTORY has the files of doi:10.7910/DVN/TEST as they were uploaded. A file that ends with ".csv" is a
table, which is sent as tab-separated values unless the original is asked for. The list also names a file
that nobody gets. The digests are those that the files have when the server starts. The forms are those of
guides.dataverse.org/en/latest/api/native-api.html and dataaccess.html; pyDataverse downloads from it before
Kettle does. Like Dataverse with files on its own disk it sends neither ETag nor Last-Modified.
"""
import hashlib, itertools, os, sys, urllib.parse
from answers import Answers, names_below, serve

port, root = int(sys.argv[1]), sys.argv[2]
pid = "doi:10.7910/DVN/TEST"
# A server keeps the digests of old files when it begins to use others.
algorithms = itertools.cycle(["MD5", "SHA-1", "SHA-256", "SHA-512"])


def separated_by_tabs(data):
    return data.replace(b",", b"\t")


def entry(number, path, data, restricted=False):
    directory, name = os.path.split(path)
    algorithm = next(algorithms)
    digest = hashlib.new(algorithm.replace("-", ""), data).hexdigest()
    content = {
        "id": number,
        "persistentId": "",
        "filename": name,
        "contentType": "application/octet-stream",
        "friendlyType": "Unknown",
        "filesize": len(data),
        "storageIdentifier": f"file://{number:x}",
        "rootDataFileId": -1,
        "checksum": {"type": algorithm, "value": digest},
        "tabularData": name.endswith(".csv"),
        "creationDate": "2026-01-01",
    }
    if algorithm == "MD5":
        content["md5"] = digest
    if name.endswith(".csv"):
        # The digest is that of the upload, and the size does not count the line of the names.
        table = separated_by_tabs(data)
        content |= {
            "filename": name.removesuffix("csv") + "tab",
            "contentType": "text/tab-separated-values",
            "filesize": len(table) - table.find(b"\n") - 1,
            "originalFileFormat": "text/csv",
            "originalFormatLabel": "Comma Separated Values",
            "originalFileSize": len(data),
            "originalFileName": name,
            "UNF": "UNF:6:AAAAAAAAAAAAAAAAAAAAAA==",
        }
    found = {"label": content["filename"], "restricted": restricted, "version": 1, "datasetVersionId": 7}
    if directory:
        found["directoryLabel"] = directory
    return {**found, "dataFile": content}


paths = dict(enumerate(names_below(root), start=101))
entries = []
for number, path in paths.items():
    with open(os.path.join(root, path), "rb") as file:
        entries.append(entry(number, path, file.read()))
entries.append(entry(100, "sub one/not for everyone.csv", b"a,b\n1,2\n", restricted=True))


def version(has_files):
    found = {
        "id": 7,
        "datasetId": 5,
        "datasetPersistentId": pid,
        "versionNumber": 2,
        "versionMinorNumber": 1,
        "versionState": "RELEASED",
        "releaseTime": "2026-01-01T00:00:00Z",
        "license": {"name": "CC0 1.0", "uri": "http://creativecommons.org/publicdomain/zero/1.0"},
        "fileAccessRequest": False,
        "metadataBlocks": {"citation": {"displayName": "Citation Metadata", "name": "citation", "fields": []}},
    }
    return {**found, "files": entries} if has_files else found


class Handler(Answers):
    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        # The paths may name the version of the API.
        path = urllib.parse.unquote(parts.path).rstrip("/").replace("/api/v1/", "/api/", 1)
        if path.startswith("/api/access/datafile/"):
            return self.answer_datafile(path.removeprefix("/api/access/datafile/"), query.get("format"))
        at_versions = "/api/datasets/:persistentId/versions/"
        chosen, _, below = path.removeprefix(at_versions).partition("/")
        if query.get("persistentId") != pid:
            self.answer_error(404, f"Dataset with Persistent ID {query.get('persistentId')} not found.")
        elif path == "/api/datasets/:persistentId":
            self.answer_data({"id": 5, "protocol": "doi", "latestVersion": version(True)})
        elif not path.startswith(at_versions) or chosen not in (":latest", ":latest-published", "2.1"):
            self.answer_error(404, "Dataset version not found")
        elif below == "files":
            self.answer_data(entries)
        elif not below:
            self.answer_data(version(query.get("excludeFiles") != "true"))
        else:
            self.answer_error(404, "API endpoint does not exist on this server.")

    def answer_datafile(self, text, form):
        if text == "100":
            return self.answer_error(403, "You do not have permission to download this file.")
        path = paths.get(int(text)) if text.isdecimal() else None
        if path is None:
            return self.answer_error(404, f"File not found for given id: {text}")
        if path.endswith(".csv") and form != "original":
            with open(os.path.join(root, path), "rb") as file:
                return self.answer(200, separated_by_tabs(file.read()))
        name = urllib.parse.quote(os.path.basename(path))
        self.answer_file(
            os.path.join(root, path), None, [("Content-Disposition", f"attachment; filename*=UTF-8''{name}")]
        )

    def answer_data(self, data):
        self.answer_json({"status": "OK", "data": data})

    def answer_error(self, status, message):
        self.answer_json({"status": "ERROR", "code": status, "message": message}, status=status)


serve(port, Handler)
