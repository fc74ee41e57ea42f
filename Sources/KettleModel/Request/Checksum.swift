/// The expected digest of a file.
public struct Checksum: Hashable, Sendable {
  public enum Algorithm: String, Sendable, Codable, CaseIterable {
    case md5, sha1, sha224, sha256, sha384, sha512

    public var hexDigitCount: Int {
      switch self {
      case .md5: 32
      case .sha1: 40
      case .sha224: 56
      case .sha256: 64
      case .sha384: 96
      case .sha512: 128
      }
    }
  }

  public let algorithm: Algorithm
  /// Lower-case hexadecimal.
  public let hex: String

  /// Returns nil if the digits are not hexadecimal or their number does not match the algorithm.
  public init?(algorithm: Algorithm, hex: String) {
    let isLower = { (digit: UInt8) in (48...57).contains(digit) || (97...102).contains(digit) }
    let lowered = hex.utf8.allSatisfy(isLower) ? hex : hex.lowercased()
    guard lowered.utf8.count == algorithm.hexDigitCount, lowered.utf8.allSatisfy(isLower) else {
      return nil
    }
    self.algorithm = algorithm
    self.hex = lowered
  }

  /// Parses `sha256:HEX`, or the digits alone, whose number shows the algorithm.
  public init?(_ text: String) {
    if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
      guard let algorithm = Algorithm(rawValue: text[..<colon].lowercased()) else { return nil }
      self.init(algorithm: algorithm, hex: String(text[text.utf8.index(after: colon)...]))
    } else {
      let count = text.utf8.count
      guard let algorithm = Algorithm.allCases.first(where: { $0.hexDigitCount == count })
      else { return nil }
      self.init(algorithm: algorithm, hex: text)
    }
  }

  public var text: String { algorithm.rawValue + ":" + hex }

  /// The digest.
  package var bytes: [UInt8] {
    let digits = Array(hex.utf8)
    return stride(from: 0, to: digits.count - 1, by: 2).map { index in
      Self.value(digits[index]) << 4 | Self.value(digits[index + 1])
    }
  }

  private static func value(_ digit: UInt8) -> UInt8 { digit > 57 ? digit - 87 : digit - 48 }
}

extension Checksum: Codable {
  private enum CodingKeys: String, CodingKey { case algorithm, hex }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let algorithm = try container.decode(Algorithm.self, forKey: .algorithm)
    let hex = try container.decode(String.self, forKey: .hex)
    guard let checksum = Checksum(algorithm: algorithm, hex: hex) else {
      throw DecodingError.dataCorruptedError(
        forKey: .hex, in: container, debugDescription: "not the digits of this algorithm")
    }
    self = checksum
  }
}

/// A list of the digests of files, as sha256sum(1) and its relatives write it. Each line is
/// `HEX  NAME`, `HEX *NAME`, `SHA256 (NAME) = HEX`, or a digest alone. The number of digits shows
/// the algorithm. A byte order mark before the first line is skipped.
///
/// What is read of any bytes: digests of a known length, each for one name without directories or
/// for none. The digest of another file never counts. A search takes the same time whatever the
/// size of the list.
package struct ChecksumList: Hashable, Sendable {
  /// A line with a digest.
  package struct Entry: Hashable, Sendable {
    /// As written, with directories; nil for a digest alone.
    package var path: String?
    package var checksum: Checksum
  }

  /// The strongest digest for each name.
  private var named: [String: Checksum] = [:]
  /// The digests without a name; more than two say no more than two.
  private var nameless: Set<Checksum> = []

  package static let byteCountMax = 8 << 20

  /// Reads the lines that have a digest. Others are skipped: lists have comments and signatures.
  package init(_ bytes: [UInt8]) { Self.read(bytes) { add($0) } }

  /// Passes on the lines that have a digest, in their order.
  package static func read(_ bytes: [UInt8], _ use: (Entry) -> Void) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let lines = bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
    for line in lines.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
      // The digits of the shortest digest do not fit into less.
      guard line.count >= Checksum.Algorithm.md5.hexDigitCount else { continue }
      let text = String(decoding: line, as: UTF8.self)
      if let entry = entry(text.trimmingBlanks()) { use(entry) }
    }
  }

  private mutating func add(_ entry: Entry) {
    guard let path = entry.path else {
      if nameless.count < 2 { nameless.insert(entry.checksum) }
      return
    }
    let name = Self.lastComponent(path[...])
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
    if let checksum = Checksum(line) { return Entry(path: nil, checksum: checksum) }
    if let open = line.firstRange(of: " ("), let close = line.ranges(of: ") = ").last {
      guard open.upperBound <= close.lowerBound,
        let checksum = Checksum(String(line[close.upperBound...])),
        isName(line[..<open.lowerBound], of: checksum.algorithm)
      else { return nil }
      return Entry(path: String(line[open.upperBound..<close.lowerBound]), checksum: checksum)
    }
    // A leading backslash marks a name with escapes.
    let isEscaped = line.hasPrefix("\\")
    let rest = isEscaped ? line.dropFirst() : line[...]
    guard let end = rest.firstIndex(of: " ") ?? rest.firstIndex(of: "\t"),
      let checksum = Checksum(String(rest[..<end]))
    else { return nil }
    var name = String(rest[end...]).trimmingBlanks()[...]
    if name.hasPrefix("*") { name = name.dropFirst() }
    return Entry(path: isEscaped ? unescaped(name) : String(name), checksum: checksum)
  }

  /// Whether a word before a name means this algorithm, as in `SHA256` or `SHA-256`. Digests of
  /// others, such as SHA3-256 and BLAKE2b, have as many digits.
  private static func isName(_ word: Substring, of algorithm: Checksum.Algorithm) -> Bool {
    word.lowercased().filter { $0 != "-" } == algorithm.rawValue
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
