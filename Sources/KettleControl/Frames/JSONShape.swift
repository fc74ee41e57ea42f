/// The checks of a line before a JSON decoder sees it.
enum JSONShape {
  /// The reason why a line is not decoded.
  enum Problem: String, Hashable, Sendable {
    case tooDeep = "nesting"
    case controlByte = "control byte"
    case notUTF8 = "UTF-8"
  }

  /// No message of the protocol nests deeper than ten. The decoder recurses for each level, so a
  /// line of 100,000 brackets would overflow its stack.
  static let depthMax = 32

  /// Returns the problem of the line, found in one pass, or nil if the line may be decoded.
  ///
  /// Control bytes are refused because JSON allows none inside a string (RFC 8259, section 7), and
  /// because zero bytes make decoders mistake the line for UTF-16.
  static func problem(in line: [UInt8]) -> Problem? {
    var depth = 0
    var isInString = false
    var isEscaped = false
    for byte in line {
      if byte < 32, byte != UInt8(ascii: "\t"), byte != UInt8(ascii: "\r") { return .controlByte }
      if isEscaped {
        isEscaped = false
      } else if isInString {
        if byte == UInt8(ascii: "\\") { isEscaped = true }
        if byte == UInt8(ascii: "\"") { isInString = false }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        default: break
        }
        if depth > depthMax { return .tooDeep }
      }
    }
    return String(validating: line, as: UTF8.self) == nil ? .notUTF8 : nil
  }
}
