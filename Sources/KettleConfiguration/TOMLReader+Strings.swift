extension TOMLReader {
  /// Reads a string in double quotes, with escapes.
  mutating func readBasicString() throws(TOMLProblem) -> String {
    if bytes.starts(with: "\"\"\"".utf8) {
      throw problem("multi-line strings are not supported")
    }
    bytes = bytes.dropFirst()
    var text: [UInt8] = []
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += try readEscape()
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): throw problem("the string is not closed")
      default: text.append(byte)
      }
    }
    throw problem("the string is not closed")
  }

  /// Reads a string in single quotes, without escapes.
  mutating func readLiteralString() throws(TOMLProblem) -> String {
    if bytes.starts(with: "'''".utf8) {
      throw problem("multi-line strings are not supported")
    }
    bytes = bytes.dropFirst()
    let text = bytes.prefix { $0 != UInt8(ascii: "'") && $0 != UInt8(ascii: "\n") }
    bytes = bytes.dropFirst(text.count)
    guard skip(UInt8(ascii: "'")) else { throw problem("the string is not closed") }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func readEscape() throws(TOMLProblem) -> [UInt8] {
    switch bytes.popFirst() {
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "\""): return [34]
    case UInt8(ascii: "\\"): return [92]
    case UInt8(ascii: "u"): return try readScalar(digitCount: 4)
    case UInt8(ascii: "U"): return try readScalar(digitCount: 8)
    default: throw problem("the string contains an unknown escape")
    }
  }

  private mutating func readScalar(digitCount: Int) throws(TOMLProblem) -> [UInt8] {
    let digits = bytes.prefix(digitCount)
    let areDigits = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit && $0 < 128 }
    guard digits.count == digitCount, areDigits,
      let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
      let scalar = Unicode.Scalar(number)
    else { throw problem("the string contains an invalid Unicode escape") }
    bytes = bytes.dropFirst(digitCount)
    return Array(String(Character(scalar)).utf8)
  }
}
