/// A list of the digests of files, as sha256sum(1) and its relatives write it. Each line is
/// `HEX  NAME`, `HEX *NAME`, `SHA256 (NAME) = HEX`, or a digest alone. The number of digits shows
/// the algorithm.
package struct ChecksumList: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var name: String?
    var checksum: Checksum
  }

  private var entries: [Entry] = []

  package static let byteCountMax = 8 << 20

  /// Reads the lines that have a digest. Others are skipped: lists have comments and signatures.
  package init(_ bytes: [UInt8]) {
    for line in bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
      let text = String(decoding: line, as: UTF8.self)
      if let entry = Self.entry(text.trimmingBlanks()) { entries.append(entry) }
    }
  }

  /// Whether no line has a digest.
  package var isEmpty: Bool { entries.isEmpty }

  /// The strongest digest for the first of these names that the list has. The only digest of a list
  /// counts for any file if it has no name.
  ///
  /// - Parameter names: names without directories, the best one first.
  package func checksum(forOneOf names: [String]) -> Checksum? {
    for name in names {
      let found = entries.filter { $0.name == name }.map(\.checksum)
      if let best = Self.strongest(of: found) { return best }
    }
    guard entries.allSatisfy({ $0.name == nil }) else { return nil }
    let digests = Set(entries.map(\.checksum))
    return digests.count == 1 ? digests.first : nil
  }

  private static func strongest(of checksums: [Checksum]) -> Checksum? {
    checksums.max { $0.algorithm.hexDigitCount < $1.algorithm.hexDigitCount }
  }

  private static func entry(_ line: String) -> Entry? {
    if let checksum = Checksum(line) { return Entry(name: nil, checksum: checksum) }
    if let open = line.firstRange(of: " ("), let close = line.ranges(of: ") = ").last {
      guard open.upperBound <= close.lowerBound,
        let checksum = Checksum(String(line[close.upperBound...]))
      else { return nil }
      return Entry(
        name: lastComponent(line[open.upperBound..<close.lowerBound]), checksum: checksum)
    }
    // A leading backslash marks a name with escapes.
    let isEscaped = line.hasPrefix("\\")
    let rest = isEscaped ? line.dropFirst() : line[...]
    guard let end = rest.firstIndex(of: " ") ?? rest.firstIndex(of: "\t"),
      let checksum = Checksum(String(rest[..<end]))
    else { return nil }
    var name = String(rest[end...]).trimmingBlanks()[...]
    if name.hasPrefix("*") { name = name.dropFirst() }
    return Entry(name: lastComponent(isEscaped ? unescaped(name)[...] : name), checksum: checksum)
  }

  private static func lastComponent(_ path: Substring) -> String {
    path.split(separator: "/").last.map(String.init) ?? ""
  }

  private static func unescaped(_ name: Substring) -> String {
    var text = ""
    var isEscape = false
    for character in name {
      switch (isEscape, character) {
      case (false, "\\"): isEscape = true
      case (true, "n"):
        text.append("\n")
        isEscape = false
      case (true, _), (false, _):
        text.append(character)
        isEscape = false
      }
    }
    return text
  }
}
