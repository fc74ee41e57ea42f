/// Reads the elements and texts of an XML document in UTF-8, as far as Metalink and XML-RPC need
/// them.
///
/// It has no document types and therefore no entities besides the predefined ones and numeric
/// references (XML 1.0, sections 4.1 and 4.6). Nesting and attributes are bounded.
package struct XMLReader {
  package enum Event: Hashable {
    case start(Element)
    case text(String)
    case end
  }

  package struct Element: Hashable {
    /// The URI that its prefix stands for; empty without one (Namespaces in XML 1.0).
    package var namespace: String
    package var name: String
    package var attributes: [String: String]
  }

  static let depthMax = 32
  static let attributeCountMax = 64

  private struct Frame {
    var qualifiedName: String
    var namespaces: [String: String]
  }

  private let bytes: [UInt8]
  private var index = 0
  private var frames: [Frame] = []
  /// The end of an element that was empty, like `<size/>`.
  private var hasPendingEnd = false
  private var hasRoot = false

  /// - Parameter bytes: UTF-8 text; a byte order mark is ignored.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  /// The next event; nil at the end of the document.
  package mutating func next() throws(XMLProblem) -> Event? {
    if hasPendingEnd {
      hasPendingEnd = false
      frames.removeLast()
      return .end
    }
    while index < bytes.count {
      if bytes[index] != UInt8(ascii: "<") {
        if let text = try readText() { return text }
      } else if starts(with: "<!--") {
        try skip(past: "-->")
      } else if starts(with: "<![CDATA[") {
        return try readCharacterData()
      } else if starts(with: "<!") {
        throw .documentType
      } else if starts(with: "<?") {
        try skip(past: "?>")
      } else if starts(with: "</") {
        return try readEnd()
      } else {
        return try readStart()
      }
    }
    guard frames.isEmpty, hasRoot else { throw malformed }
    return nil
  }

  private var malformed: XMLProblem {
    .malformed(line: 1 + bytes[..<min(index, bytes.count)].count { $0 == UInt8(ascii: "\n") })
  }

  // MARK: Pieces

  private func starts(with text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - index >= count else { return false }
    return (0..<count).allSatisfy { bytes[index + $0] == text.utf8Start[$0] }
  }

  private mutating func skip(past end: StaticString) throws(XMLProblem) {
    let start = index
    while index < bytes.count {
      if starts(with: end) {
        index += end.utf8CodeUnitCount
        return
      }
      index += 1
    }
    index = start
    throw malformed
  }

  private mutating func skipBlanks() {
    while index < bytes.count, Self.isBlank(bytes[index]) { index += 1 }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 32 || byte == 9 || byte == 10 || byte == 13
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  private mutating func readName() throws(XMLProblem) -> String {
    let start = index
    while index < bytes.count, !Self.isBlank(bytes[index]), !"<>/='\"&".utf8.contains(bytes[index])
    {
      index += 1
    }
    guard index > start else { throw malformed }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  // MARK: Text

  private mutating func readText() throws(XMLProblem) -> Event? {
    let start = index
    while index < bytes.count, bytes[index] != UInt8(ascii: "<") { index += 1 }
    let text = bytes[start..<index]
    guard frames.isEmpty else { return .text(try resolved(text)) }
    guard text.allSatisfy(Self.isBlank) else { throw malformed }
    return nil
  }

  private mutating func readCharacterData() throws(XMLProblem) -> Event {
    guard !frames.isEmpty else { throw malformed }
    index += 9
    let start = index
    try skip(past: "]]>")
    return .text(String(decoding: bytes[start..<(index - 3)], as: UTF8.self))
  }

  /// Replaces references by what they stand for.
  private func resolved(_ text: ArraySlice<UInt8>) throws(XMLProblem) -> String {
    guard text.contains(UInt8(ascii: "&")) else { return String(decoding: text, as: UTF8.self) }
    var result: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "&") else {
        result.append(byte)
        continue
      }
      // The longest reference is a number with leading zeros.
      guard let end = rest.prefix(16).firstIndex(of: UInt8(ascii: ";")),
        let scalar = Self.scalar(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
      else { throw malformed }
      result += Array(String(scalar).utf8)
      rest = rest[(end + 1)...]
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func scalar(_ reference: String) -> Unicode.Scalar? {
    switch reference {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    guard reference.hasPrefix("#") else { return nil }
    let digits = reference.dropFirst()
    let number =
      digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
    return number.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
  }

  // MARK: Elements

  private mutating func readStart() throws(XMLProblem) -> Event {
    guard !frames.isEmpty || !hasRoot else { throw malformed }
    guard frames.count < Self.depthMax else { throw .tooDeep }
    hasRoot = true
    index += 1
    let qualifiedName = try readName()
    var attributes: [String: String] = [:]
    while true {
      let start = index
      skipBlanks()
      if take(UInt8(ascii: ">")) { break }
      if take(UInt8(ascii: "/")) {
        guard take(UInt8(ascii: ">")) else { throw malformed }
        hasPendingEnd = true
        break
      }
      guard index > start, attributes.count < Self.attributeCountMax else { throw malformed }
      let (name, value) = try readAttribute()
      guard attributes.updateValue(value, forKey: name) == nil else { throw malformed }
    }
    var namespaces = frames.last?.namespaces ?? [:]
    for (name, value) in attributes {
      if name == "xmlns" { namespaces[""] = value }
      if name.hasPrefix("xmlns:") { namespaces[String(name.dropFirst(6))] = value }
    }
    frames.append(Frame(qualifiedName: qualifiedName, namespaces: namespaces))
    let parts = qualifiedName.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let prefix = parts.count == 2 ? String(parts[0]) : ""
    return .start(
      Element(
        namespace: namespaces[prefix] ?? "", name: String(parts.last ?? ""),
        attributes: attributes))
  }

  private mutating func readAttribute() throws(XMLProblem) -> (String, String) {
    let name = try readName()
    skipBlanks()
    guard take(UInt8(ascii: "=")) else { throw malformed }
    skipBlanks()
    guard index < bytes.count, bytes[index] == 34 || bytes[index] == 39 else { throw malformed }
    let quote = bytes[index]
    index += 1
    let start = index
    while index < bytes.count, bytes[index] != quote, bytes[index] != UInt8(ascii: "<") {
      index += 1
    }
    let value = bytes[start..<index]
    guard take(quote) else { throw malformed }
    return (name, try resolved(value))
  }

  private mutating func readEnd() throws(XMLProblem) -> Event {
    index += 2
    let name = try readName()
    skipBlanks()
    guard take(UInt8(ascii: ">")), frames.last?.qualifiedName == name else { throw malformed }
    frames.removeLast()
    return .end
  }
}

/// Why a text is not XML that can be read.
package enum XMLProblem: Error, Hashable, Sendable {
  case malformed(line: Int)
  /// A document type could define entities of any size.
  case documentType
  case tooDeep
}
