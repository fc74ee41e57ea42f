/// A colour of the terminal.
package enum Color: Hashable, Sendable {
  /// The terminal's default for text or background.
  case standard
  /// 0–15: the classic colours; 16–231: the cube; 232–255: the greys.
  case palette(UInt8)
  case rgb(UInt8, UInt8, UInt8)
}

/// The appearance of a cell.
package struct Style: Hashable, Sendable {
  package struct Attributes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let bold = Attributes(rawValue: 1)
    package static let dim = Attributes(rawValue: 2)
    package static let reverse = Attributes(rawValue: 4)
    package static let underline = Attributes(rawValue: 8)
  }

  package var foreground: Color
  package var background: Color
  package var attributes: Attributes

  package init(
    foreground: Color = .standard, background: Color = .standard, attributes: Attributes = []
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }

  package static let plain = Style()
}
