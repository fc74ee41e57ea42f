import KettleModel
import KettleScheduler

/// Metalinks and Link headers: reading ends, and what is read is bounded and harmless.
struct MetalinkFuzz: TextFuzzPart {
  let name = "metalink"
  let sharePercent = 2
  let samples: [[UInt8]]
  let mutator: TextMutator
  private let base: TransferURL

  init() throws {
    base = try TransferURL.parse("https://a.example/d/f.iso").get().url
    samples = Self.texts.map { Array($0.utf8) }
    mutator = TextMutator(
      words: [
        "<file name=\"", "<url>", "</url>", "</file>", "&#x2F;", "&amp;", "<![CDATA[", "]]>",
        "<!--", "-->", "<!DOCTYPE", "xmlns:a=\"b\"", "/>", "../", "; rel=duplicate", "; pri=1", ",",
      ], samples: samples)
  }

  func finding(for input: [UInt8]) -> String? {
    let header = HeaderField(received: "Link", String(decoding: input, as: UTF8.self))
    let links = ResponseHead(status: 200, headers: [header]).duplicateLinks(of: base, countMax: 8)
    if links.count > 8 { return "\(links.count) copies" }
    if links.contains(where: { $0.scheme != .https }) { return "a copy leads to http" }
    guard let files = try? MetalinkFile.read(input) else { return nil }
    if files.isEmpty || files.count > MetalinkFile.fileCountMax { return "\(files.count) files" }
    for file in files {
      if let name = file.name, FileName(foreign: name.text) != name {
        return "the name \(name.text.debugDescription) is used"
      }
      if file.urls.isEmpty || file.urls.count > MetalinkFile.urlCountMax {
        return "\(file.urls.count) URLs"
      }
      if let byteCount = file.byteCount, byteCount < 0 { return "\(byteCount) bytes" }
    }
    return nil
  }

  private static let texts = [
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <metalink xmlns="urn:ietf:params:xml:ns:metalink">
      <published>2026-01-01T00:00:00Z</published>
      <file name="sub/disk.iso">
        <size>1048576</size>
        <hash type="sha-256">abababababababababababababababababababababababababababababababab</hash>
        <pieces length="65536" type="sha-1"><hash>00</hash></pieces>
        <url location="de" priority="2">http://b.example/disk.iso?a=1&amp;b=2</url>
        <url priority="1"><![CDATA[https://a.example/disk.iso]]></url>
      </file>
    </metalink>
    """,
    "<m:metalink xmlns:m='urn:ietf:params:xml:ns:metalink'><m:file name='a'>"
      + "<m:url>http://a.example/</m:url></m:file></m:metalink>",
    "<https://b.example/f>; rel=duplicate; pri=1; geo=gb, <../g>; pri=2; rel=\"duplicate x\"",
  ]
}
