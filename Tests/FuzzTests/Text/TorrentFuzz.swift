import KettleModel

/// Torrents and manifests: reading ends, and what is read is bounded, harmless and consistent.
struct TorrentFuzz: TextFuzzPart {
  let name = "torrent"
  let sharePercent = 2
  let samples: [[UInt8]]
  let mutator: TextMutator

  init() {
    samples = Self.texts.map { Array($0.utf8) }
    mutator = TextMutator(
      words: [
        "d", "l", "e", "i0e", "i-1e", "0:", "1:a", "4:info", "5:files", "6:length", "4:path",
        "2:..", "6:pieces", "9:file tree", "12:piece layers", "4:attr1:p", "8:url-list",
        "9223372036854775807", "20:aaaaaaaaaaaaaaaaaaaa",
      ], samples: samples)
  }

  func finding(for input: [UInt8]) -> String? {
    for entry in (try? Manifest.read(input))?.entries ?? [] {
      if let path = entry.path, DocumentPath(path.components) != path {
        return "the path \(path.text.debugDescription) is used"
      }
      if let text = entry.path?.text, text.hasPrefix("/") || text.hasPrefix("../") {
        return "the path \(text.debugDescription) leads out"
      }
    }
    guard let torrent = try? TorrentFile.read(input) else { return nil }
    if torrent.entries.isEmpty { return "no file" }
    for entry in torrent.entries {
      if entry.byteCount < 0 { return "\(entry.byteCount) bytes" }
      if entry.urls.count > MetalinkFile.urlCountMax { return "\(entry.urls.count) URLs" }
      if entry.urls.contains(where: { $0.url.scheme == .sftp }) { return "a seed for SSH" }
      if let pieces = entry.pieces, let finding = finding(in: pieces, of: entry) { return finding }
    }
    for source in (try? torrent.sources()) ?? [] {
      if let name = source.name, FileName(foreign: name.text) != name {
        return "the name \(name.text.debugDescription) is used"
      }
    }
    return nil
  }

  private func finding(in pieces: PieceHashes, of entry: TorrentFile.Entry) -> String? {
    if pieces.byteCount != entry.byteCount { return "pieces of another size" }
    var upper = pieces.firstOffset
    for index in 0..<pieces.count {
      guard let range = pieces.range(of: index), range.lower == upper,
        range.upper <= entry.byteCount, pieces.digest(of: index) != nil,
        pieces.indices(touching: range) == index..<(index + 1)
      else { return "piece \(index) of \(pieces.count) is not in the file" }
      upper = range.upper
    }
    return upper == pieces.covered.upper ? nil : "the pieces end at \(upper)"
  }

  private static let digests = String(repeating: "x", count: 60)

  private static let texts = [
    "d4:infod6:lengthi10e4:name5:a.iso12:piece lengthi4e6:pieces60:\(digests)e"
      + "8:url-listl22:http://a.example/a.iso17:http://b.example/ee",
    "d4:infod5:filesld6:lengthi6e4:pathl1:d1:aeed4:attr1:p6:lengthi2e4:pathl4:.pad1:2ee"
      + "d6:lengthi3e4:pathl1:beee4:name1:n12:piece lengthi4e6:pieces60:\(digests)e"
      + "8:url-list20:http://a.example/dire",
    "d4:infod9:file treed1:dd1:ad0:d6:lengthi40000e11:pieces root32:"
      + String(repeating: "r", count: 32) + "eee1:bd0:d6:lengthi0eeee12:meta versioni2e"
      + "4:name1:n12:piece lengthi32768ee12:piece layersd32:"
      + String(repeating: "r", count: 32) + "64:" + String(repeating: "y", count: 64) + "ee",
    String(repeating: "a", count: 64) + "  d/a.iso\nSHA256 (b) = "
      + String(repeating: "b", count: 64),
  ]
}
