/// One character cell of the screen. It is a few words without references, because a screen has ten
/// thousand cells, which are made and compared with every frame.
package struct Cell: Hashable, Sendable {
  /// 21 bits for each combining scalar, the first in the lowest bits.
  private var marks: UInt64
  /// nil in the right half of a wide character.
  package private(set) var base: Unicode.Scalar?
  package var style: Style
  /// 2 in the left half of a wide character, 0 in its right half, otherwise 1.
  package private(set) var width: UInt8

  /// The maximum number of combining scalars in a cell, which is more than any script needs for a
  /// character.
  package static let markCountMax = 3
  private static let bitsOfMark: UInt64 = 21

  /// - Parameter text: One spacing scalar and the combining scalars that follow it.
  package init(text: String, width: UInt8, style: Style) {
    self.init(text.unicodeScalars.first ?? " ", width: width, style: style)
    guard text.utf8.count > 1 else { return }
    for mark in text.unicodeScalars.dropFirst().prefix(Self.markCountMax).reversed() {
      marks = marks << Self.bitsOfMark | UInt64(mark.value)
    }
  }

  package init(_ base: Unicode.Scalar, width: UInt8, style: Style) {
    marks = 0
    self.base = base
    self.style = style
    self.width = width
  }

  private init(rightHalf style: Style) {
    marks = 0
    base = nil
    self.style = style
    width = 0
  }

  package static let blank = Cell(" ", width: 1, style: .plain)

  package static func rightHalf(_ style: Style) -> Cell { Cell(rightHalf: style) }

  /// Empty in the right half of a wide character.
  package var text: String {
    var text = String.UnicodeScalarView()
    if let base { text.append(base) }
    text.append(contentsOf: combining)
    return String(text)
  }

  package var hasMarks: Bool { marks != 0 }

  /// The combining scalars on the character.
  package var combining: [Unicode.Scalar] {
    guard marks != 0 else { return [] }
    var rest = marks
    var scalars: [Unicode.Scalar] = []
    while rest != 0 {
      let value = UInt32(truncatingIfNeeded: rest & (1 << Self.bitsOfMark - 1))
      if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
      rest >>= Self.bitsOfMark
    }
    return scalars
  }
}
