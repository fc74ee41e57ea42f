import KettleCollections
import KettleModel

/// The lists of collections: reading ends, and what is read is bounded and stays below its source.
struct ListingFuzz: TextFuzzPart {
  let name = "listing"
  let sharePercent = 4
  let samples: [[UInt8]]
  let mutator: TextMutator
  private let sources: [CollectionSource]

  init() throws {
    samples = Self.texts.map { Array($0.utf8) }
    mutator = TextMutator(
      words: [
        "<a href=\"", "\">", "</a>", "<base href=\"", "../", "%2e%2e/", "%2F", "\\", "\u{0}",
        "\r\n",
        "<D:href>", "</D:href>", "<D:collection/>", "<Key>", "</Key>", "\"path\": \"", "\"size\": ",
        "9223372036854775807", "-1", "1e308", "drwxr-xr-x 1 u g 4 Jun 12 10:00 ", "<DIR>", "/etc/x",
        " -> ", "https://evil.example/", "[", "{", "}", "]", ",",
      ], samples: samples)
    sources = try Self.names.map { name in
      try CollectionSource.named(name, in: CollectionEnvironment([:]))?.get()
        ?? IndexListing.source(named: name, in: CollectionEnvironment([:]))?.get()
    }.compactMap(\.self)
  }

  func finding(for input: [UInt8]) -> String? {
    for source in sources {
      guard let adapter = source.adapter() else { return "\(source.kind) has no adapter" }
      // The first document, and one of the second kind if there is one.
      for stage in 0...1 {
        var request = adapter.first
        request.stage = stage
        guard let page = try? adapter.read(ListingAnswer(request.url, input), to: request) else {
          continue
        }
        if let finding = Self.finding(in: page, of: request, source, input.count) { return finding }
      }
    }
    return nil
  }

  private static func finding(
    in page: ListingPage, of request: ListingRequest, _ source: CollectionSource, _ byteCount: Int
  ) -> String? {
    let kind = source.kind
    if page.members.count + page.further.count > byteCount { return "\(kind): too many entries" }
    for member in page.members {
      if MemberPath(foreign: member.path.text) != member.path {
        return "\(kind): the path \(member.path.text.debugDescription)"
      }
      if let size = member.byteCount, size < 0 { return "\(kind): \(size) bytes" }
      if isBound(kind), member.url.origin != source.url.origin {
        return "\(kind): a file of \(member.url.text)"
      }
    }
    for next in page.further {
      if next.depth > request.depth + 1 { return "\(kind): depth \(next.depth)" }
      if isBound(kind), next.url.origin != source.url.origin {
        return "\(kind): a list of \(next.url.text)"
      }
    }
    return nil
  }

  /// Whether everything that the source lists is on its own server.
  private static func isBound(_ kind: CollectionSource.Kind) -> Bool {
    switch kind {
    case .index, .directory, .webDAV, .bucket, .hub, .dataverse: true
    // These name URLs, which the caller judges.
    case .checksums, .lines, .metalink, .archive, .zenodo, .figshare: false
    }
  }

  private static let names = [
    "hf://org/model", "https://h.example/pub/", "https://h.example/d/SHA256SUMS",
    "https://h.example/d/all.jsonl", "https://archive.org/details/item",
    "https://zenodo.org/records/1", "s3://data/x/", "ftp://h.example/pub/",
    "davs://h.example/pub/", "10.6084/m9.figshare.1",
    "https://h.example/dataset.xhtml?persistentId=doi:10.5072/FK2/A",
  ]

  private static let digest = String(repeating: "ab", count: 32)

  private static let texts = [
    """
    <html><base href="/pub/"><pre><a href="../">../</a>
    <a href="a%20b.bin">a b.bin</a>      12-Jun-2025 14:21                 1234
    <a href="sub/">sub/</a>              12-Jun-2025 14:21                    -
    </pre></html>
    """,
    """
    [{"name": "a", "type": "file", "mtime": "Thu", "size": 7},
     {"name": "d", "type": "directory"},
     {"name": "c", "url": "./c", "size": 5, "is_dir": false, "mod_time": "x"}]
    """,
    """
    [{"type": "file", "oid": "0123456789abcdef0123456789abcdef01234567", "size": 9,
      "path": "a/b.bin", "lfs": {"oid": "\(digest)", "size": 9}}]
    """,
    "\(digest)  a.txt\n\(digest) *sub/b.txt\nSHA256 (c) = \(digest)\n",
    #"{"path": "a/b", "url": "a/b", "size": 5, "sha256": "\#(digest)"}"#,
    #"{"files": [{"name": "a/b", "size": "5", "md5": "0123456789abcdef0123456789abcdef"}]}"#,
    #"{"version": 3, "folder_structure": {"7": "a/b"}}"#,
    """
    [{"id": 7, "name": "c", "size": 5, "is_link_only": false, "computed_md5": "\(digest)",
      "download_url": "https://h.example/files/7"}]
    """,
    """
    {"data": {"versionNumber": 1, "versionMinorNumber": 2, "files": [{"restricted": false,
      "directoryLabel": "a/b", "dataFile": {"id": 7, "filename": "c.tab", "filesize": 5,
      "originalFileFormat": "x", "originalFileName": "c.dta", "originalFileSize": 6,
      "checksum": {"type": "SHA-256", "value": "\(digest)"}}}]}}
    """,
    """
    <?xml version="1.0"?><ListBucketResult><Contents><Key>x/a%20b</Key><Size>1</Size>
    <ETag>"e"</ETag></Contents><EncodingType>url</EncodingType></ListBucketResult>
    """,
    "total 8\r\ndrwxr-xr-x 2 u g 4096 Jun 12 10:00 sub\r\n-rw-r--r-- 1 u g 5 Jun 12  2024 a b\r\n"
      + "lrwxrwxrwx 1 u g 5 Jun 12 10:00 l -> a\r\n06-12-25  10:00AM  <DIR>  win\r\n",
    """
    <D:multistatus xmlns:D="DAV:"><D:response><D:href>/pub/a%20b</D:href><D:propstat><D:prop>
    <D:resourcetype><D:collection/></D:resourcetype><D:getcontentlength>5</D:getcontentlength>
    <D:getetag>"e"</D:getetag></D:prop></D:propstat></D:response></D:multistatus>
    """,
  ]
}
