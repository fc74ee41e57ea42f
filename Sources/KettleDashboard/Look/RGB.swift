/// A colour as red, green and blue.
package struct RGB: Hashable, Sendable {
  package var red: UInt8
  package var green: UInt8
  package var blue: UInt8

  package init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// For example `0x1D2021`; bits above 24 are ignored.
  package init(_ hexadecimal: UInt32) {
    red = UInt8(hexadecimal >> 16 & 255)
    green = UInt8(hexadecimal >> 8 & 255)
    blue = UInt8(hexadecimal & 255)
  }

  /// `#rrggbb`.
  package init?(hexadecimal text: String) {
    let digits = text.dropFirst()
    guard text.hasPrefix("#"), digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit),
      let number = UInt32(digits, radix: 16)
    else { return nil }
    self.init(number)
  }

  /// Parses a terminal's reply to the query for its background (OSC 11 of xterm): `11;rgb:` and
  /// three numbers of one to four hexadecimal digits between slashes.
  package init?(backgroundReply text: String) {
    let prefixes = ["11;rgb:", "11;rgba:"]
    guard let prefix = prefixes.first(where: { text.hasPrefix($0) }) else { return nil }
    let parts = text.dropFirst(prefix.utf8.count).split(
      separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3 || parts.count == 4 else { return nil }
    let levels = parts.prefix(3).compactMap { part -> UInt8? in
      guard (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit),
        let number = Int(part, radix: 16)
      else { return nil }
      return UInt8(number * 255 / (1 << (4 * part.utf8.count) - 1))
    }
    guard levels.count == 3 else { return nil }
    self.init(red: levels[0], green: levels[1], blue: levels[2])
  }

  /// Whether dark text is more legible on it than light text, by the weights of ITU-R BT.601.
  package var isLight: Bool {
    Int(red) * 299 + Int(green) * 587 + Int(blue) * 114 > 127_500
  }

  func distance(to other: RGB) -> Int {
    func squared(_ one: UInt8, _ two: UInt8) -> Int {
      (Int(one) - Int(two)) * (Int(one) - Int(two))
    }
    return squared(red, other.red) + squared(green, other.green) + squared(blue, other.blue)
  }
}
