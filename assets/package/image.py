#!/usr/bin/env python3
"""image.py PROGRAM DIRECTORY

Makes kettle-VERSION-oci-ARCHITECTURE.tar in DIRECTORY: an image for containers, with what the portable
archive runs (portable.sh), the certificates of this machine, and a user. The archive is a layout of OCI
(image-layout.md of its image specification), which podman, skopeo and containerd read, and has the list
that `docker load` reads. Needs no daemon and no root. The same input gives the same bytes.
"""
import gzip
import hashlib
import io
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
USER = 1000
BUNDLE = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
# Nothing in the image reads manual pages, completions, or what desktops and browsers need.
KEPT = ("bin", "libexec", "share/doc/kettle/copyright", "share/doc/kettle/libraries.txt.gz")
OF_USER = ("config", "downloads", "home/kettle", "state")
FILES = {
    "etc/passwd": f"root:x:0:0:root:/:/sbin/nologin\nkettle:x:{USER}:{USER}::/home/kettle:/sbin/nologin\n",
    "etc/group": f"root:x:0:\nkettle:x:{USER}:\n",
}


def release():
    """Returns the version and the time that every file gets, as release.sh sets them."""
    script = '. "$top/assets/package/release.sh"; printf "%s %s" "$version" "$SOURCE_DATE_EPOCH"'
    said = subprocess.run(
        ["sh", "-euc", script], env={**os.environ, "top": str(TOP)}, check=True,
        capture_output=True, text=True).stdout
    version, seconds = said.split()
    return version, int(seconds)


def layer(root, seconds):
    """Returns the bytes of an uncompressed archive of everything in `root`, and what is added to it."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.GNU_FORMAT) as tar:
        def add(name, mode, kind=tarfile.REGTYPE, content=b"", target="", owner=0):
            entry = tarfile.TarInfo(name)
            entry.mode, entry.type, entry.linkname, entry.mtime = mode, kind, target, seconds
            entry.uid = entry.gid = owner
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))

        contents = {name: text.encode() for name, text in FILES.items()}
        contents[str(BUNDLE)[1:]] = BUNDLE.read_bytes()
        contents["usr/local/share/doc/kettle/LICENSE"] = (TOP / "LICENSE").read_bytes()
        contents["usr/local/share/doc/kettle/copyright-of-certificates"] = pathlib.Path(
            "/usr/share/doc/ca-certificates/copyright").read_bytes()
        folders, links, programs = set(), {}, set()
        for kept in KEPT:
            for path in [root / kept, *(root / kept).rglob("*")]:
                name = "usr/local/" + str(path.relative_to(root))
                if path.is_symlink():
                    links[name] = os.readlink(path)
                elif path.is_file():
                    contents[name] = path.read_bytes()
                    if os.access(path, os.X_OK):
                        programs.add(name)
        names = [*contents, *links, *(name + "/" for name in OF_USER), "tmp/"]
        for name in names:
            parents = pathlib.PurePath(name + "x").parents
            folders.update(str(parent) for parent in parents if str(parent) != ".")
        for name in sorted(folders | contents.keys() | links.keys()):
            if name in links:
                add(name, 0o777, tarfile.SYMTYPE, target=links[name])
            elif name in contents:
                add(name, 0o755 if name in programs else 0o644, content=contents[name])
            else:
                is_own = name in OF_USER
                add(name, 0o1777 if name == "tmp" else 0o700 if name in ("config", "state") else 0o755,
                    tarfile.DIRTYPE, owner=USER if is_own else 0)
    return archive.getvalue()


def licenses():
    """Returns those of the program, of the libraries that the portable archive has, and of the
    certificates, as an expression of SPDX."""
    text = (HERE / "description.txt").read_text()
    names = re.search(r"^license: (.*)$", text, re.M)[1].split(" AND ")
    libraries = re.search(r"^libraries:\n((?: .*\n)+)", text, re.M)[1]
    names += [line.split()[1].replace("-WITH-", " WITH ") for line in libraries.splitlines()]
    return " AND ".join(dict.fromkeys([*names, "MPL-2.0"]))


def configuration(version, created, digest):
    """Returns the configuration of the image (config.md), with the health check that Docker adds to it."""
    second = 1_000_000_000
    return {
        "created": created,
        "architecture": ARCHITECTURES[platform.machine()],
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "Env": [
                "PATH=/usr/local/bin", "HOME=/home/kettle", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/config",
                "XDG_STATE_HOME=/state", "XDG_DOWNLOAD_DIR=/downloads",
            ],
            "Entrypoint": ["/usr/local/bin/kettle"],
            "Cmd": ["daemon", "run"],
            "WorkingDir": "/downloads",
            "Volumes": {"/config": {}, "/downloads": {}, "/state": {}},
            "StopSignal": "SIGTERM",
            "Labels": {
                "org.opencontainers.image.title": "Kettle",
                "org.opencontainers.image.version": version,
                "org.opencontainers.image.licenses": licenses(),
                "org.opencontainers.image.url": "https://example.org/kettle",
            },
            "Healthcheck": {
                "Test": ["CMD", "/usr/local/bin/kettle", "daemon", "status"],
                "Interval": 30 * second, "Timeout": 10 * second, "StartPeriod": 10 * second, "Retries": 3,
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [digest]},
        "history": [{"created": created, "created_by": "assets/package/image.py"}],
    }


def layout(version, created, root, seconds):
    """Returns the files of the layout by their names."""
    files = {}

    def blob(kind, content):
        digest = hashlib.sha256(content).hexdigest()
        files["blobs/sha256/" + digest] = content
        return {
            "mediaType": f"application/vnd.oci.image.{kind}", "digest": "sha256:" + digest,
            "size": len(content)}

    def text(value):
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()

    plain = layer(root, seconds)
    packed = blob("layer.v1.tar+gzip", gzip.compress(plain, 9, mtime=0))
    config = blob(
        "config.v1+json",
        text(configuration(version, created, "sha256:" + hashlib.sha256(plain).hexdigest())))
    manifest = blob("manifest.v1+json", text({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config,
        "layers": [packed]}))
    manifest["annotations"] = {
        "io.containerd.image.name": f"docker.io/library/kettle:{version}",
        "org.opencontainers.image.ref.name": version}
    manifest["platform"] = {"architecture": ARCHITECTURES[platform.machine()], "os": "linux"}
    files["oci-layout"] = text({"imageLayoutVersion": "1.0.0"})
    files["index.json"] = text({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [manifest]})
    path = "blobs/sha256/" + config["digest"].partition(":")[2]
    files["manifest.json"] = text([{
        "Config": path, "RepoTags": [f"kettle:{version}"],
        "Layers": ["blobs/sha256/" + packed["digest"].partition(":")[2]]}])
    return files, len(plain)


def main():
    program, output = sys.argv[1:]
    if platform.machine() not in ARCHITECTURES:
        sys.exit(f"image: no name is known for the architecture {platform.machine()}")
    version, seconds = release()
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    with tempfile.TemporaryDirectory() as work:
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(seconds)}
        subprocess.run([HERE / "portable.sh", program, "/usr/local", work], env=environment, check=True)
        files, size = layout(version, created, pathlib.Path(work) / "usr/local", seconds)
    folder = pathlib.Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"kettle-{version}-oci-{ARCHITECTURES[platform.machine()]}.tar"
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as tar:
        for name in sorted(files):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = len(files[name]), seconds, 0o644
            tar.addfile(entry, io.BytesIO(files[name]))
    print(f"image: {path}, {path.stat().st_size} bytes, {size} unpacked")


main()
