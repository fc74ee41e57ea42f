import KettleModel

/// Reads a JSON text (RFC 8259) into a value, in one pass.
///
/// Anybody who reaches the port can send a text of many MiB before a secret is compared. A decoder
/// that tries one type after the other would need seconds for it.
package struct JSONReader {
  package enum Problem: Error, Hashable, Sendable {
    case malformed
    case tooDeep
    case tooMany
  }

  private let bytes: [UInt8]
  private var index = 0
  private var valueCount = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// - Parameter bytes: UTF-8 text.
  package static func value(_ bytes: [UInt8]) throws(Problem) -> RPCValue {
    var reader = JSONReader(bytes)
    let value = try reader.readValue(depth: 0)
    reader.skipBlanks()
    guard reader.index == bytes.count else { throw .malformed }
    return value
  }

  private mutating func skipBlanks() {
    while index < bytes.count {
      switch bytes[index] {
      case 9, 10, 13, 32: index += 1
      default: return
      }
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  private mutating func take(_ word: StaticString) throws(Problem) {
    let count = word.utf8CodeUnitCount
    guard bytes.count - index >= count,
      (0..<count).allSatisfy({ bytes[index + $0] == word.utf8Start[$0] })
    else { throw .malformed }
    index += count
  }

  private mutating func readValue(depth: Int) throws(Problem) -> RPCValue {
    guard depth <= RPCLimits.depthMax else { throw .tooDeep }
    valueCount += 1
    guard valueCount <= RPCLimits.valueCountMax else { throw .tooMany }
    skipBlanks()
    guard index < bytes.count else { throw .malformed }
    switch bytes[index] {
    case UInt8(ascii: "{"): return .object(try readObject(depth: depth))
    case UInt8(ascii: "["): return .list(try readList(depth: depth))
    case UInt8(ascii: "\""): return .text(try readText())
    case UInt8(ascii: "t"):
      try take("true")
      return .boolean(true)
    case UInt8(ascii: "f"):
      try take("false")
      return .boolean(false)
    case UInt8(ascii: "n"):
      try take("null")
      return .null
    default: return try readNumber()
    }
  }

  private mutating func readObject(depth: Int) throws(Problem) -> [String: RPCValue] {
    index += 1
    var object: [String: RPCValue] = [:]
    skipBlanks()
    if take(UInt8(ascii: "}")) { return object }
    while true {
      skipBlanks()
      let name = try readText()
      skipBlanks()
      guard take(UInt8(ascii: ":")) else { throw .malformed }
      object[name] = try readValue(depth: depth + 1)
      skipBlanks()
      if take(UInt8(ascii: "}")) { return object }
      guard take(UInt8(ascii: ",")) else { throw .malformed }
    }
  }

  private mutating func readList(depth: Int) throws(Problem) -> [RPCValue] {
    index += 1
    var list: [RPCValue] = []
    skipBlanks()
    if take(UInt8(ascii: "]")) { return list }
    while true {
      list.append(try readValue(depth: depth + 1))
      skipBlanks()
      if take(UInt8(ascii: "]")) { return list }
      guard take(UInt8(ascii: ",")) else { throw .malformed }
    }
  }

  // MARK: Numbers

  private mutating func readNumber() throws(Problem) -> RPCValue {
    let start = index
    _ = take(UInt8(ascii: "-"))
    let whole = takeDigits()
    guard whole > 0 else { throw .malformed }
    var isWhole = true
    if take(UInt8(ascii: ".")) {
      isWhole = false
      guard takeDigits() > 0 else { throw .malformed }
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      isWhole = false
      if !take(UInt8(ascii: "-")) { _ = take(UInt8(ascii: "+")) }
      guard takeDigits() > 0 else { throw .malformed }
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if isWhole, let number = Int64(text) { return .integer(number) }
    guard let number = Double(text), number.isFinite else { throw .malformed }
    return .real(number)
  }

  private mutating func takeDigits() -> Int {
    let start = index
    while index < bytes.count, (48...57).contains(bytes[index]) { index += 1 }
    return index - start
  }

  // MARK: Texts

  private mutating func readText() throws(Problem) -> String {
    guard take(UInt8(ascii: "\"")) else { throw .malformed }
    let start = index
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        let text = String(validating: bytes[start..<index], as: UTF8.self)
        index += 1
        guard let text else { throw .malformed }
        return text
      case UInt8(ascii: "\\"): return try readEscapedText(from: start)
      case 0..<32: throw .malformed
      default: index += 1
      }
    }
    throw .malformed
  }

  /// Reads the rest of a text that has an escape.
  private mutating func readEscapedText(from start: Int) throws(Problem) -> String {
    var text = Array(bytes[start..<index])
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: text, as: UTF8.self) else { throw .malformed }
        return text
      case UInt8(ascii: "\\"): text += try readEscape()
      case 0..<32: throw .malformed
      default: text.append(byte)
      }
    }
    throw .malformed
  }

  private mutating func readEscape() throws(Problem) -> [UInt8] {
    guard index < bytes.count else { throw .malformed }
    let letter = bytes[index]
    index += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "u"): return Array(String(try readScalar()).utf8)
    default: throw .malformed
    }
  }

  /// Half of a surrogate pair becomes U+FFFD, as in browsers.
  private mutating func readScalar() throws(Problem) -> Unicode.Scalar {
    let first = try readUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    let isHigh = (0xD800..<0xDC00).contains(first)
    guard isHigh, bytes[index...].starts(with: "\\u".utf8) else { return "\u{FFFD}" }
    let mark = index
    index += 2
    let second = try readUnit()
    guard (0xDC00..<0xE000).contains(second) else {
      index = mark
      return "\u{FFFD}"
    }
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
  }

  private mutating func readUnit() throws(Problem) -> UInt32 {
    let digits = bytes[index...].prefix(4)
    guard digits.count == 4, digits.allSatisfy(Self.isHexDigit),
      let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw .malformed }
    index += 4
    return unit
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
  }
}

/// Writes values as JSON (RFC 8259). The members of an object are in the order of their names.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package static func bytes(_ value: RPCValue) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(value)
    return writer.bytes
  }

  package mutating func write(_ value: RPCValue) {
    switch value {
    case .null: write("null")
    case .boolean(let isTrue): write(isTrue ? "true" : "false")
    case .integer(let number): write(String(number))
    // A number that is not finite has no form.
    case .real(let number): write(number.isFinite ? String(number) : "null")
    case .text(let text): write(quoted: text)
    case .list(let list):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in list.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        write(element)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in object.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        write(quoted: member.key)
        bytes.append(UInt8(ascii: ":"))
        write(member.value)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private mutating func write(_ text: String) { bytes += Array(text.utf8) }

  private mutating func write(quoted text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): write("\\\"")
      case UInt8(ascii: "\\"): write("\\\\")
      case 10: write("\\n")
      case 0..<32: write("\\u00" + [byte].hexadecimal)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
