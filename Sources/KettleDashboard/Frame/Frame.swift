/// A complete screen: exactly `size.rows` times `size.columns` cells.
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
  /// The position of the terminal's own cursor; nil hides it.
  package var cursor: Position?

  /// - Parameter style: The style of the blanks.
  package init(size: ScreenSize, style: Style = .plain) {
    self.size = size
    var blank = Cell.blank
    blank.style = style
    cells = Array(repeating: blank, count: size.columns * size.rows)
  }

  /// Returns the cells of one row; none outside the screen.
  package func row(_ row: Int) -> ArraySlice<Cell> {
    guard (0..<size.rows).contains(row) else { return [] }
    return cells[(row * size.columns)..<((row + 1) * size.columns)]
  }

  /// Writes a glyph of `width` columns. Returns false, and changes nothing, when it does not fit.
  @discardableResult
  package mutating func write(
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

  /// Writes text that consists of printable ASCII, cut to `width`: the common case of `put`, in one
  /// pass.
  package mutating func write(
    ascii text: some Sequence<UInt8>, row: Int, column: Int, width: Int, style: Style
  ) {
    guard (0..<size.rows).contains(row), column >= 0 else { return }
    let end = min(column + width, size.columns)
    guard column < end else { return }
    let start = row * size.columns
    var next = column
    for byte in text {
      guard next < end else { break }
      if cells[start + next].width != 1 {
        breakWideCharacters(row: row, from: next, to: next + 1)
      }
      cells[start + next] = Cell(Unicode.Scalar(byte), width: 1, style: style)
      next += 1
    }
  }

  /// Writes the same narrow character into several cells.
  package mutating func fill(
    _ scalar: Unicode.Scalar, row: Int, columns: Range<Int>, style: Style
  ) {
    let columns = columns.clamped(to: 0..<size.columns)
    guard (0..<size.rows).contains(row), !columns.isEmpty else { return }
    breakWideCharacters(row: row, from: columns.lowerBound, to: columns.upperBound)
    let cell = Cell(scalar, width: 1, style: style)
    for column in columns { cells[row * size.columns + column] = cell }
  }

  /// Clears the other half of a wide character when one half is overwritten.
  private mutating func breakWideCharacters(row: Int, from: Int, to: Int) {
    let start = row * size.columns
    if from > 0, cells[start + from].width == 0 {
      cells[start + from - 1] = Cell(text: " ", width: 1, style: cells[start + from - 1].style)
    }
    if to < size.columns, cells[start + to].width == 0 {
      cells[start + to] = Cell(text: " ", width: 1, style: cells[start + to].style)
    }
  }

  /// Copies rows of another frame, which begins at `column` and must end within this one.
  mutating func paste(_ other: Frame, rows: Range<Int>, column: Int) {
    guard column >= 0, column + other.size.columns <= size.columns else { return }
    for row in rows.clamped(to: 0..<min(size.rows, other.size.rows)) {
      breakWideCharacters(row: row, from: column, to: column + other.size.columns)
      let start = row * size.columns + column
      cells.replaceSubrange(start..<(start + other.size.columns), with: other.row(row))
    }
  }

  /// Changes the style of cells and keeps their text.
  package mutating func restyle(
    row: Int, columns: Range<Int>, _ change: (inout Style) -> Void
  ) {
    guard (0..<size.rows).contains(row) else { return }
    for column in columns.clamped(to: 0..<size.columns) {
      change(&cells[row * size.columns + column].style)
    }
  }

  /// Calls `body` for each cell that differs from another frame, row by row from the left; for all
  /// cells when the sizes differ.
  package func forEachChange(
    from other: Frame?, _ body: (_ row: Int, _ column: Int, _ cell: Cell) -> Void
  ) {
    let isComparable = other?.size == size
    let shown = isComparable ? other?.cells ?? [] : []
    cells.withUnsafeBufferPointer { cells in
      shown.withUnsafeBufferPointer { shown in
        for index in cells.indices where !isComparable || cells[index] != shown[index] {
          let (row, column) = index.quotientAndRemainder(dividingBy: size.columns)
          body(row, column, cells[index])
        }
      }
    }
  }

  /// The characters alone, one line per row, without trailing blanks.
  package var lines: [String] {
    (0..<size.rows).map { number in
      var line = String.UnicodeScalarView()
      for cell in row(number) {
        if let base = cell.base { line.append(base) }
        line.append(contentsOf: cell.combining)
      }
      while line.last == " " { line.removeLast() }
      return String(line)
    }
  }
}

/// The size of the terminal in character cells.
package struct ScreenSize: Hashable, Sendable {
  package let columns: Int
  package let rows: Int

  /// A terminal can report anything: `TIOCGWINSZ` has 16 bits for each dimension, and zeros when
  /// nothing set it. The bounds limit a frame to a few megabytes.
  package init(columns: Int, rows: Int) {
    self.columns = min(max(columns, 1), 2000)
    self.rows = min(max(rows, 1), 1000)
  }

  package func holds(_ other: ScreenSize) -> Bool {
    columns >= other.columns && rows >= other.rows
  }
}

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

/// A color of the terminal.
package enum Color: Hashable, Sendable {
  /// The terminal's default for text or background.
  case standard
  /// 0–15: the classic colors; 16–231: the cube; 232–255: the grays.
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
