/// A whole screen: exactly `size.rows` times `size.columns` cells.
package struct Frame: Hashable, Sendable {
  package struct Position: Hashable, Sendable {
    package var row: Int
    package var column: Int

    package init(row: Int, column: Int) {
      self.row = row
      self.column = column
    }
  }

  package let size: ScreenSize
  /// Row by row.
  package private(set) var cells: [Cell]
  /// Where the terminal's own cursor stands; nil hides it.
  package var cursor: Position?

  package init(size: ScreenSize) {
    self.size = size
    cells = Array(repeating: .blank, count: size.columns * size.rows)
  }

  /// The cells of one row; none outside the screen.
  package func row(_ row: Int) -> ArraySlice<Cell> {
    guard (0..<size.rows).contains(row) else { return [] }
    return cells[(row * size.columns)..<((row + 1) * size.columns)]
  }

  /// Puts a glyph of `width` columns; false, and nothing is changed, when it does not fit whole.
  @discardableResult
  package mutating func put(
    _ glyph: String, width: Int, row: Int, column: Int, style: Style
  ) -> Bool {
    guard (1...2).contains(width), (0..<size.rows).contains(row), column >= 0,
      column + width <= size.columns
    else { return false }
    let index = row * size.columns + column
    breakWideCharacters(row: row, from: column, to: column + width)
    cells[index] = Cell(text: glyph, width: UInt8(width), style: style)
    if width == 2 { cells[index + 1] = .rightHalf(style) }
    return true
  }

  /// A wide character of which one half is overwritten loses the other half too.
  private mutating func breakWideCharacters(row: Int, from: Int, to: Int) {
    let start = row * size.columns
    if from > 0, cells[start + from].width == 0 {
      cells[start + from - 1] = Cell(text: " ", width: 1, style: cells[start + from - 1].style)
    }
    if to < size.columns, cells[start + to].width == 0 {
      cells[start + to] = Cell(text: " ", width: 1, style: cells[start + to].style)
    }
  }

  /// Changes the style of cells and leaves their text.
  package mutating func restyle(
    row: Int, columns: Range<Int>, _ change: (inout Style) -> Void
  ) {
    guard (0..<size.rows).contains(row) else { return }
    for column in columns.clamped(to: 0..<size.columns) {
      change(&cells[row * size.columns + column].style)
    }
  }

  /// The characters alone, one line a row, without blanks at the ends of lines.
  package var lines: [String] {
    (0..<size.rows).map { number in
      var line = row(number).map(\.text).joined()
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }
}
