/// One character cell of the screen.
package struct Cell: Hashable, Sendable {
  /// One spacing scalar and at most four combining ones, the most that a terminal library keeps in
  /// a cell; empty in the right half of a wide character.
  package var text: String
  /// 2 in the left half of a wide character, 0 in its right half, else 1.
  package var width: UInt8
  package var style: Style

  package init(text: String, width: UInt8, style: Style) {
    self.text = text
    self.width = width
    self.style = style
  }

  package static let blank = Cell(text: " ", width: 1, style: .plain)

  package static func rightHalf(_ style: Style) -> Cell { Cell(text: "", width: 0, style: style) }
}
