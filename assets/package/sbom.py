#!/usr/bin/env python3
"""sbom.py PROGRAM ARTIFACT...  prints what is in a release, in the JSON format of SPDX 2.3
sbom.py --check FILE           checks such a file

PROGRAM is the release program. The Swift packages in it come from Package.resolved, their licenses from
assets/package/copyright, the libraries that it loads from the program, and those in a portable archive
from its libraries.txt.gz and assets/package/description.txt. A part without a license is an error. Two
runs give the same bytes; SOURCE_DATE_EPOCH is the time of the release.
"""

import datetime
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))

# Debian's names of licenses, and those of SPDX.
SPDX_NAMES = {
    "Expat": "MIT",
    "BSD-3-clause": "BSD-3-Clause",
    "Apache-2.0 with Swift exception": "Apache-2.0 WITH Swift-exception",
}

# The machines by the names of images, and those of `uname -m`.
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}


def text_of(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as file:
        return file.read()


def described():
    """Returns the entries of description.txt; one with lines below it is a list of them."""
    entries = {}
    name = None
    for line in text_of("assets", "package", "description.txt").splitlines():
        if match := re.match(r"([a-z_]+): ?(.*)", line):
            name = match[1]
            entries[name] = match[2] or []
        elif line.startswith(" ") and isinstance(entries.get(name), list):
            entries[name].append(line[1:])
    return entries


def licenses_of_packages():
    """Returns the license of each repository that assets/package/copyright names, in SPDX's names. A
    repository whose folders have several gets all of them."""
    licenses = {}
    for paragraph in text_of("assets", "package", "copyright").split("\n\n"):
        fields = dict(re.findall(r"^(Files|License): (.+)$", paragraph, re.M))
        if len(fields) < 2:
            continue
        named = {SPDX_NAMES.get(name, name) for name in fields["License"].split(" and ")}
        for pattern in fields["Files"].split():
            licenses.setdefault(pattern.split("/")[0], set()).update(named)
    return {name: " AND ".join(sorted(found)) for name, found in licenses.items()}


class Document:
    def __init__(self, version, created):
        self.entries = described()
        self.licenses = licenses_of_packages()
        self.version = version
        self.created = created
        self.packages = {}
        self.relationships = set()

    def add(self, id, name, license, **fields):
        """Adds a package once, and returns its identifier."""
        id = identifier(id)
        self.packages[id] = {
            "SPDXID": id,
            "name": name,
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False,
            "licenseConcluded": license,
            "licenseDeclared": license,
            "copyrightText": "NOASSERTION",
            **fields,
        }
        return id

    def relate(self, id, kind, other):
        self.relationships.add((id, kind, other))

    def license_of(self, name):
        if name not in self.licenses:
            sys.exit(f"sbom: assets/package/copyright has no license of {name}")
        return self.licenses[name]

    def add_program(self, path):
        homepage = self.entries["homepage"]
        program = self.add(
            "kettle", self.entries["name"], "Apache-2.0", versionInfo=self.version,
            homepage=homepage, downloadLocation=homepage, primaryPackagePurpose="APPLICATION",
            supplier="Organization: " + self.entries["maintainer"].split(" <")[0])
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", program)
        for pin in json.loads(text_of("Package.resolved"))["pins"]:
            self.add_pin(program, pin)
        needed = re.findall(
            r"\(NEEDED\).*\[(.*)\]",
            subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout)
        if not any(name.startswith("libswift") for name in needed):
            self.add_standard_libraries(program)
        for name in needed:
            self.relate(program, "DYNAMIC_LINK", self.add_library(name))
        for name in (self.entries["rpm_requires"] + " " + self.entries["rpm_suggests"]).split():
            self.relate(self.add_library(name), "RUNTIME_DEPENDENCY_OF", program)
        return program

    def add_pin(self, program, pin):
        name = os.path.basename(pin["location"]).removesuffix(".git")
        state = pin["state"]
        place = pin["location"].removesuffix(".git")
        version = state.get("version", state["revision"])
        package = self.add(
            "swift-package-" + name, name, self.license_of(name), versionInfo=version,
            downloadLocation=f"git+{place}.git@{state['revision']}", primaryPackagePurpose="LIBRARY",
            externalRefs=[reference("swift/" + place.split("://")[1], version)])
        self.relate(program, "STATIC_LINK", package)

    def add_standard_libraries(self, program):
        said = subprocess.run(["swift", "--version"], check=True, capture_output=True, text=True).stdout
        version = re.search(r"Swift version ([0-9.]+)", said)[1]
        for name in ("swift", "swift-corelibs-foundation", "swift-corelibs-libdispatch",
                     "swift-foundation", "swift-foundation-icu"):
            package = self.add(
                "toolchain-" + name, name, self.license_of(name), versionInfo=version,
                primaryPackagePurpose="LIBRARY")
            self.relate(program, "STATIC_LINK", package)

    def add_library(self, name):
        return self.add("system-" + name, name, "NOASSERTION", primaryPackagePurpose="LIBRARY",
                        comment="The library of the system where the program runs.")

    def add_artifact(self, program, path):
        name = os.path.basename(path)
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        artifact = self.add(
            "artifact-" + name, name, "NOASSERTION", versionInfo=self.version, packageFileName=name,
            downloadLocation=f"{self.entries['releases']}/v{self.version}/{name}",
            checksums=[{"algorithm": "SHA256", "checksumValue": digest}],
            primaryPackagePurpose="ARCHIVE")
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", artifact)
        self.relate(artifact, "CONTAINS", program)
        if name.endswith("-portable.tar.xz"):
            self.add_libraries(artifact, path)
        # Both have what the portable archive has.
        if match := re.search(r"-1\.(\w+)\.rpm$|-oci-(\w+)\.tar$", name):
            machine = MACHINES.get(match[2], match[1])
            archive = f"{self.entries['name']}-{self.version}-linux-{machine}-portable.tar.xz"
            self.relate(artifact, "GENERATED_FROM", identifier("artifact-" + archive))
        return digest

    def add_libraries(self, artifact, path):
        """Adds what the archive says it has from other packages."""
        names = dict(line.split() for line in self.entries["libraries"])
        with tarfile.open(path) as archive:
            list = next(m for m in archive if m.name.endswith("/share/doc/kettle/libraries.txt.gz"))
            text = gzip.decompress(archive.extractfile(list).read()).decode()
        found = re.findall(r"^  (\S+) (\S+) \(source (\S+) (\S+)\)$", text, re.M)
        if not found:
            sys.exit(f"sbom: {path} names no libraries")
        for package, version, source, _ in found:
            license = names.get(re.sub(r"-[0-9.]+$", "", source)) or names.get(source)
            if not license:
                sys.exit(f"sbom: description.txt has no license of {source}")
            library = self.add(
                f"bundled-{package}-{version}", package, license.replace("-WITH-", " WITH "),
                versionInfo=version, sourceInfo="built from source package: " + source,
                primaryPackagePurpose="LIBRARY",
                externalRefs=[reference("deb/debian/" + package, version)])
            self.relate(artifact, "CONTAINS", library)

    def json(self, digests):
        unique = hashlib.sha256("".join(digests).encode()).hexdigest()
        return {
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"kettle-{self.version}",
            "documentNamespace": f"{self.entries['homepage']}/spdx/kettle-{self.version}-{unique}",
            "creationInfo": {
                "created": self.created,
                "creators": ["Tool: sbom.py", "Organization: The Kettle maintainers"],
            },
            "packages": [self.packages[id] for id in sorted(self.packages)],
            "relationships": [
                {"spdxElementId": id, "relationshipType": kind, "relatedSpdxElement": other}
                for id, kind, other in sorted(self.relationships)],
        }


def identifier(text):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


def reference(name, version):
    quoted = version.replace("+", "%2B").replace(":", "%3A")
    return {
        "referenceCategory": "PACKAGE-MANAGER",
        "referenceType": "purl",
        "referenceLocator": f"pkg:{name}@{quoted}",
    }


def problems_in(document):
    """Returns what SPDX 2.3 requires and the document lacks. Sections are those of its specification."""
    problems = []
    expected = {"spdxVersion": r"SPDX-2\.3", "dataLicense": r"CC0-1\.0", "SPDXID": "SPDXRef-DOCUMENT",
                "name": ".+", "documentNamespace": r"https?://[^#\s]+"}
    for field, pattern in expected.items():  # Clause 6
        if not re.fullmatch(pattern, str(document.get(field, ""))):
            problems.append(f"{field} is {document.get(field)!r}")
    created = document.get("creationInfo", {})
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", created.get("created", "")):
        problems.append("creationInfo.created is no time in UTC")
    creators = created.get("creators") or [""]
    problems += [f"creator {creator!r}" for creator in creators
                 if not re.match("(Person|Organization|Tool): .", creator)]

    ids = ["SPDXRef-DOCUMENT"] + [package.get("SPDXID") for package in document.get("packages", [])]
    problems += [f"{id} is there twice" for id in {id for id in ids if ids.count(id) > 1}]
    for package in document.get("packages", []):
        problems += [f"{package.get('SPDXID')}: {problem}" for problem in problems_in_package(package)]
    described = False
    for relationship in document.get("relationships", []):  # Clause 11
        ends = (relationship.get("spdxElementId"), relationship.get("relatedSpdxElement"))
        problems += [f"a relationship names {end}, which is not there" for end in ends if end not in ids]
        described |= relationship.get("relationshipType") == "DESCRIBES"
    if not described:
        problems.append("no relationship DESCRIBES anything")
    return problems


def problems_in_package(package):  # Clause 7
    if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package.get("SPDXID") or ""):
        yield "its SPDXID has other characters than letters, digits, . and -"
    if not package.get("name"):
        yield "no name"
    if not re.fullmatch(r"NOASSERTION|NONE|(git\+)?https?://\S+", package.get("downloadLocation") or ""):
        yield f"downloadLocation is {package.get('downloadLocation')!r}"
    if package.get("filesAnalyzed", True):
        yield "filesAnalyzed without a verification code"
    for field in ("licenseConcluded", "licenseDeclared"):
        words = re.sub(r"\b(AND|OR|WITH)\b|[()]", " ", package.get(field) or "").split()
        if not words or not all(re.fullmatch(r"[A-Za-z0-9.-]+\+?", word) for word in words):
            yield f"{field} is {package.get(field)!r}"
    for checksum in package.get("checksums", []):
        if not re.fullmatch("[0-9a-f]{64}", checksum.get("checksumValue", "")):
            yield "a checksum is no SHA-256"


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--check":
        with open(arguments[1], encoding="utf-8") as file:
            document = json.load(file)
        problems = problems_in(document)
        for problem in problems:
            print("sbom:", problem, file=sys.stderr)
        if not problems:
            print(f"sbom: {arguments[1]} has {len(document['packages'])} packages and lacks nothing")
        return 1 if problems else 0
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    source = text_of("Sources", "KettleControl", "ProtocolVersion.swift")
    version = re.search(r'static let text = "(.*)"', source)[1]
    time = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    document = Document(version, time.strftime("%Y-%m-%dT%H:%M:%SZ"))
    program = document.add_program(arguments[0])
    digests = [document.add_artifact(program, path) for path in sorted(arguments[1:])]
    json.dump(document.json(digests), sys.stdout, indent=1)
    print()
    return 0


sys.exit(main(sys.argv[1:]))
