import KettleCommands

@testable import KettleModel

/// Lists of URLs for `-i`: they parse the same however they are split, and every accepted line is
/// the URL that the full parser finds in it.
struct ListFuzz: TextFuzzPart {
  let name = "list"
  let sharePercent = 5
  let samples: [[UInt8]]
  let mutator: TextMutator

  init() {
    samples = Self.texts.map { Array($0.utf8) }
    mutator = TextMutator(
      words: [
        "http://", "https://", "user:pass@", "[::1]", ":65536", ":0", "xn--", "ｌｏｃａｌ", "\\",
        "?", "@", ".example.org",
      ],
      samples: samples)
  }

  func finding(for input: [UInt8]) -> String? {
    let whole = URLList(input, name: "list")
    let urls = whole.batches.flatMap { $0 }
    if urls.count != whole.count { return "\(whole.count) URLs counted, \(urls.count) given" }
    if whole.problems.count > URLList.namedProblemCountMax + 1 { return "too many problems" }
    if whole.count == 0, whole.problems.isEmpty { return "nothing was read, and no problem" }
    for pieceByteCount in [1, 7] {
      var pieces = URLList(name: "list")
      for start in stride(from: 0, to: input.count, by: pieceByteCount) {
        pieces.read(input[start..<min(input.count, start + pieceByteCount)].span)
      }
      pieces.end()
      let isSame = pieces.problems == whole.problems && pieces.batches.flatMap { $0 } == urls
      if !isSame { return "in pieces of \(pieceByteCount) bytes it means something else" }
    }
    for parsed in urls {
      let again = TransferURL.parseClosely(parsed.url.text)
      guard case .success(TransferURL.Parsed(url: parsed.url)) = again else {
        return "\(parsed.url.text.debugDescription) reads back as \(again)"
      }
    }
    return nil
  }

  private static let texts = [
    """
    # the images
    https://example.org/a.iso
      http://example.org:8080/b%20c?x=1&y=2#part

    https://me:s%40cret@example.org/ü/d.iso
    HTTP://EXAMPLE.ORG/E
    http://[2001:db8::1]:81/f
    """,
    "\u{feff}https://example.org/a\r\nhttps://bücher.example/b\r\n# end\r\n",
    "ftp://example.org/\nhttps:///nothing\nhttp://a b/\nhttps://example.org:99999/\n",
    String(repeating: "https://example.org/file.bin\n", count: 40),
  ]
}
