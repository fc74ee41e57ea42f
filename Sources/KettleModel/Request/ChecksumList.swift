/// A list of the digests of files, as sha256sum(1) and its relatives write it. Each line is
/// `HEX  NAME`, `HEX *NAME`, `SHA256 (NAME) = HEX`, or a digest alone. The number of digits shows
/// the algorithm. A byte order mark before the first line is skipped.
///
/// What is read of any bytes: digests of a known length, each for one name without directories or
/// for none. The digest of another file never counts. A search takes the same time whatever the
/// size of the list.
package struct ChecksumList: Hashable, Sendable {
  private struct Entry {
    var name: String?
    var checksum: Checksum
  }

  /// The strongest digest for each name.
  private var named: [String: Checksum] = [:]
  /// The digests without a name; more than two say no more than two.
  private var nameless: Set<Checksum> = []

  package static let byteCountMax = 8 << 20

  /// Reads the lines that have a digest. Others are skipped: lists have comments and signatures.
  package init(_ bytes: [UInt8]) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let lines = bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
    for line in lines.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
      // The digits of the shortest digest do not fit into less.
      guard line.count >= Checksum.Algorithm.md5.hexDigitCount else { continue }
      let text = String(decoding: line, as: UTF8.self)
      if let entry = Self.entry(text.trimmingBlanks()) { add(entry) }
    }
  }

  private mutating func add(_ entry: Entry) {
    guard let name = entry.name else {
      if nameless.count < 2 { nameless.insert(entry.checksum) }
      return
    }
    let known = named[name]?.algorithm.hexDigitCount ?? 0
    if entry.checksum.algorithm.hexDigitCount > known { named[name] = entry.checksum }
  }

  /// Whether no line has a digest.
  package var isEmpty: Bool { named.isEmpty && nameless.isEmpty }

  /// The strongest digest for the first of these names that the list has. The only digest of a list
  /// counts for any file if it has no name.
  ///
  /// - Parameter names: names without directories, the best one first.
  package func checksum(forOneOf names: [String]) -> Checksum? {
    for name in names {
      if let best = named[name] { return best }
    }
    guard named.isEmpty else { return nil }
    return nameless.count == 1 ? nameless.first : nil
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
