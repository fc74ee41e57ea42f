/// A colour as written in the file.
package enum ColorSetting: Hashable, Sendable {
  /// The terminal's default colour.
  case standard
  /// One of the 256 colours of a terminal.
  case number(UInt8)
  case mixed(red: UInt8, green: UInt8, blue: UInt8)

  static let expectation =
    "a colour in quotes such as \"#38aaf5\", \"blue\", \"bright-blue\" or \"default\", or a whole "
    + "number from 0 to 255"

  /// The first eight colours of terminals (ECMA-48, select graphic rendition).
  private static let names = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
  ]

  init?(_ value: TOMLValue) {
    switch value {
    case .integer(let number):
      guard let index = UInt8(exactly: number) else { return nil }
      self = .number(index)
    case .string(let text):
      if text == "default" {
        self = .standard
      } else if text.hasPrefix("#") {
        self.init(hexadecimal: text)
      } else {
        self.init(name: text)
      }
    case .boolean, .array, .unquoted: return nil
    }
  }

  private init?(hexadecimal text: String) {
    let digits = text.utf8.dropFirst()
    guard digits.count == 6,
      digits.allSatisfy({ $0 < 128 && Character(Unicode.Scalar($0)).isHexDigit }),
      let number = UInt32(text.dropFirst(), radix: 16)
    else { return nil }
    self = .mixed(
      red: UInt8(number >> 16 & 255), green: UInt8(number >> 8 & 255), blue: UInt8(number & 255))
  }

  private init?(name text: String) {
    let bright = "bright-"
    let isBright = text.hasPrefix(bright)
    let name = isBright ? String(text.dropFirst(bright.count)) : text
    guard let index = Self.names.firstIndex(of: name) else { return nil }
    self = .number(UInt8(index + (isBright ? 8 : 0)))
  }
}
