import KettleModel

/// Finds what an HTML page links to.
///
/// It reads tags, comments and attributes as browsers do (WHATWG HTML, section 13.2.5,
/// https://html.spec.whatwg.org/multipage/parsing.html#tokenization), also where the markup is
/// malformed: a page that looks like a list in a browser must not read as another one here. It
/// knows nothing of elements and their nesting. The time grows with the size of the page alone.
struct HTMLLinks {
  struct Link {
    /// The value of `href`, with its character references replaced.
    var reference: String
    /// The rest of the line after the end tag, with its tags and the line feed, at most
    /// `followingByteCountMax` bytes.
    var following: ArraySlice<UInt8> = []
  }

  static let countMax = 200_000
  static let tooMany = ListingProblem("it has more than \(countMax) links")
  private static let followingByteCountMax = 256

  private(set) var links: [Link] = []
  /// The `href` of the first `<base>` that has one.
  private(set) var base: String?

  private let bytes: [UInt8]
  private var index = 0
  /// Whether the last link has not ended yet.
  private var isInLink = false

  /// Reads a page. Throws if it has more than `countMax` links, because a part of a list would pass
  /// for the whole.
  init(_ bytes: [UInt8]) throws(ListingProblem) {
    self.bytes = bytes
    while skip(past: "<") { try readTag() }
  }

  /// Reads what begins after a `<`, which may be text.
  private mutating func readTag() throws(ListingProblem) {
    guard let byte = current else { return }
    switch byte {
    case UInt8(ascii: "!"): skipDeclaration()
    case UInt8(ascii: "?"): _ = skip(past: ">")
    case UInt8(ascii: "/"):
      index += 1
      guard let next = current, Self.isLetter(next) else {
        _ = skip(past: ">")
        return
      }
      let name = readName(until: " />")
      _ = readAttributes(wanted: nil)
      if name == Array("a".utf8) { endLink() }
    default: if Self.isLetter(byte) { try readStart() }
    }
  }

  /// A comment, or a declaration such as `<!DOCTYPE html>`, which ends with the next `>`.
  private mutating func skipDeclaration() {
    guard bytes[index...].starts(with: "!--".utf8) else {
      _ = skip(past: ">")
      return
    }
    index += 3
    for ending in [">", "->"] where bytes[index...].starts(with: ending.utf8) {
      index += ending.utf8.count
      return
    }
    while skip(past: "--") {
      while current == UInt8(ascii: "-") { index += 1 }
      if current == UInt8(ascii: "!") { index += 1 }
      if current == UInt8(ascii: ">") { return }
    }
  }

  private mutating func readStart() throws(ListingProblem) {
    let name = String(decoding: readName(until: " />"), as: UTF8.self)
    let wanted = name == "a" || name == "base" ? "href" : nil
    let value = readAttributes(wanted: wanted)
    if name == "a" { isInLink = value != nil }
    if Self.elementsOfText.contains(name) {
      skipText(of: name)
    } else if name == "a", let value {
      guard links.count < Self.countMax else { throw Self.tooMany }
      links.append(Link(reference: Self.resolved(value)))
    } else if name == "base", base == nil, let value {
      base = Self.resolved(value)
    }
  }

  /// Elements whose content is text even where it looks like tags.
  private static let elementsOfText: Set<String> = [
    "iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp",
  ]

  /// Skips to the end tag of an element of text.
  private mutating func skipText(of name: String) {
    while skip(past: "</") {
      let start = index
      if readName(until: " />") == Array(name.utf8) {
        _ = skip(past: ">")
        return
      }
      // What was read may contain the `<` of the end tag.
      index = bytes[start..<index].firstIndex(of: UInt8(ascii: "<")) ?? index
    }
  }

  private mutating func endLink() {
    guard isInLink, var link = links.popLast() else { return }
    isInLink = false
    let rest = bytes[index...].prefix(Self.followingByteCountMax)
    let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
    link.following = rest[..<end]
    links.append(link)
  }

  // MARK: Pieces

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  /// Moves past the next occurrence of a text. Returns false at the end of the page.
  private mutating func skip(past text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    let first = text.utf8Start[0]
    while bytes.count - index >= count {
      if bytes[index] == first,
        (1..<count).allSatisfy({ bytes[index + $0] == text.utf8Start[$0] })
      {
        index += count
        return true
      }
      index += 1
    }
    index = bytes.count
    return false
  }

  private mutating func skipBlanks() {
    while let byte = current, Self.isBlank(byte) { index += 1 }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 32 || byte == 9 || byte == 10 || byte == 12 || byte == 13
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (65...90).contains(byte) || (97...122).contains(byte)
  }

  /// Reads a name in lower case.
  ///
  /// - Parameter ends: the characters that end it; a space stands for every blank.
  private mutating func readName(until ends: StaticString) -> [UInt8] {
    var name: [UInt8] = []
    while let byte = current {
      let folded = Self.isBlank(byte) ? 32 : byte
      if (0..<ends.utf8CodeUnitCount).contains(where: { ends.utf8Start[$0] == folded }) { break }
      name.append((65...90).contains(byte) ? byte + 32 : byte)
      index += 1
    }
    return name
  }

  /// Reads up to the end of a tag. Returns the value of the first attribute with the wanted name;
  /// nil if there is none, or if the tag does not end.
  private mutating func readAttributes(wanted: String?) -> ArraySlice<UInt8>? {
    var found: ArraySlice<UInt8>?
    while true {
      skipBlanks()
      guard let byte = current else { return nil }
      index += 1
      if byte == UInt8(ascii: ">") { return found }
      if byte == UInt8(ascii: "/") { continue }
      index -= 1
      let (name, value) = readAttribute()
      if found == nil, let wanted, let value, name == Array(wanted.utf8) { found = value }
    }
  }

  private mutating func readAttribute() -> (name: [UInt8], value: ArraySlice<UInt8>?) {
    // An equals sign in the first place belongs to the name.
    var name: [UInt8] = []
    if current == UInt8(ascii: "=") {
      name.append(UInt8(ascii: "="))
      index += 1
    }
    name += readName(until: " />=")
    skipBlanks()
    guard current == UInt8(ascii: "=") else { return (name, nil) }
    index += 1
    skipBlanks()
    guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      let start = index
      while let byte = current, byte != UInt8(ascii: ">"), !Self.isBlank(byte) { index += 1 }
      return (name, bytes[start..<index])
    }
    index += 1
    let start = index
    while let byte = current, byte != quote { index += 1 }
    let value = bytes[start..<index]
    if index < bytes.count { index += 1 }
    return (name, value)
  }

  // MARK: Values

  /// The text of a value, with its character references replaced. Bytes that are not UTF-8 are
  /// percent-encoded: they are the name of the file, whatever its encoding.
  private static func resolved(_ value: ArraySlice<UInt8>) -> String {
    let plain = value.contains(UInt8(ascii: "&")) ? replacingReferences(in: value) : Array(value)
    if let text = String(validating: plain, as: UTF8.self) { return text }
    let escaped = plain.flatMap { $0 < 128 ? [$0] : PercentEncoding.escape($0) }
    return String(decoding: escaped, as: UTF8.self)
  }

  private static func replacingReferences(in value: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = value
    while let byte = rest.popFirst() {
      // The longest reference is a number with leading zeros.
      guard byte == UInt8(ascii: "&"),
        let end = rest.prefix(16).firstIndex(of: UInt8(ascii: ";")),
        let scalar = scalar(String(decoding: rest[..<end], as: UTF8.self))
      else {
        result.append(byte)
        continue
      }
      result += Array(String(scalar).utf8)
      rest = rest[(end + 1)...]
    }
    return result
  }

  /// Numbers, and the names that servers use to escape a name; nil for others, which stay as they
  /// are: a file may be called `a&copy.txt`.
  private static func scalar(_ reference: String) -> Unicode.Scalar? {
    switch reference {
    case "amp", "AMP": return "&"
    case "lt", "LT": return "<"
    case "gt", "GT": return ">"
    case "quot", "QUOT": return "\""
    case "apos": return "'"
    default: break
    }
    guard reference.hasPrefix("#") else { return nil }
    let digits = reference.dropFirst()
    let number =
      digits.lowercased().hasPrefix("x")
      ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
    return number.map { $0 == 0 ? "\u{FFFD}" : Unicode.Scalar($0) ?? "\u{FFFD}" }
  }
}
