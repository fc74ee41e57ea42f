/// An escape sequence in `$'…'` of bash, without the backslash.
struct CurlEscape {
  enum Value: Hashable {
    case bytes([UInt8])
    /// A UTF-16 code unit, which may be half of a surrogate pair, or a scalar.
    case unit(UInt32)
  }

  private(set) var value: Value
  /// The number of characters after the backslash.
  private(set) var length: Int

  init(_ text: ArraySlice<Character>) {
    guard let first = text.first else {
      self.init(.bytes(Array("\\".utf8)), length: 0)
      return
    }
    if let byte = Self.single[first] {
      self.init(.bytes([byte]), length: 1)
    } else if let digitsMax = Self.hexDigitsMax[first] {
      self.init(hex: text.dropFirst().prefix(digitsMax), isByte: first == "x", first)
    } else if let octal = Self.number(text.prefix(3), radix: 8), octal.count > 0 {
      self.init(.bytes([UInt8(truncatingIfNeeded: octal.value)]), length: octal.count)
    } else {
      self.init(.bytes(Array(("\\" + String(first)).utf8)), length: 1)
    }
  }

  private init(_ value: Value, length: Int) {
    self.value = value
    self.length = length
  }

  private init(hex digits: ArraySlice<Character>, isByte: Bool, _ letter: Character) {
    guard let (value, count) = Self.number(digits, radix: 16), count > 0 else {
      self.init(.bytes(Array(("\\" + String(letter)).utf8)), length: 1)
      return
    }
    self.init(
      isByte ? .bytes([UInt8(truncatingIfNeeded: value)]) : .unit(value), length: 1 + count)
  }

  private static func number(
    _ text: ArraySlice<Character>, radix: UInt32
  ) -> (value: UInt32, count: Int)? {
    var value: UInt32 = 0
    var count = 0
    for character in text {
      guard let digit = character.hexDigitValue, character.isASCII, digit < Int(radix) else {
        break
      }
      // At most eight hexadecimal digits, which fit.
      value = value &* radix &+ UInt32(digit)
      count += 1
    }
    return (value, count)
  }

  private static let single: [Character: UInt8] = [
    "n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "e": 27, "E": 27, "f": 12, "v": 11, "\\": 92,
    "'": 39, "\"": 34, "?": 63,
  ]
  private static let hexDigitsMax: [Character: Int] = ["x": 2, "u": 4, "U": 8]
}
