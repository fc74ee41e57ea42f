import CNcurses
import DashboardUI
import Glibc

/// Writes the cells that changed into the window of ncurses.
struct CellPainter {
  private var attributes: [Style: (attributes: attr_t, pair: Int32)] = [:]

  mutating func paint(_ frame: Frame, over shown: Frame?) {
    for row in 0..<frame.size.rows {
      let cells = frame.row(row)
      guard let span = Self.changedSpan(cells, shown?.row(row)) else { continue }
      for column in span { paint(cells[cells.startIndex + column], row: row, column: column) }
    }
  }

  /// From the first to the last cell that differs; a wide character is written from its left half.
  private static func changedSpan(
    _ cells: ArraySlice<Cell>, _ shown: ArraySlice<Cell>?
  ) -> Range<Int>? {
    guard let shown, shown.count == cells.count else { return 0..<cells.count }
    let pairs = zip(cells, shown)
    guard var first = pairs.enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset
    else { return nil }
    let last =
      zip(cells.reversed(), shown.reversed()).enumerated()
      .first { $0.element.0 != $0.element.1 }?.offset ?? 0
    if first > 0, cells[cells.startIndex + first].width == 0 { first -= 1 }
    return first..<(cells.count - last)
  }

  private mutating func paint(_ cell: Cell, row: Int, column: Int) {
    guard cell.width > 0 else { return }
    let look = look(of: cell.style)
    var text = cell.text.unicodeScalars.prefix(Int(CCHARW_MAX)).map { wchar_t($0.value) }
    // Where the C library has another opinion of the width, everything to the right would be
    // moved: the character gives way.
    if let base = text.first, kettle_character_width(base) != Int32(cell.width) {
      text = [wchar_t(UnicodeScalar("?").value)]
    }
    text.append(0)
    kettle_put_cell(Int32(row), Int32(column), text, look.attributes, look.pair)
    if cell.width == 2, text.count == 2, kettle_character_width(text[0]) == 1 {
      kettle_put_cell(Int32(row), Int32(column + 1), [32, 0], look.attributes, look.pair)
    }
  }

  private mutating func look(of style: Style) -> (attributes: attr_t, pair: Int32) {
    if let known = attributes[style] { return known }
    var flags: attr_t = 0
    if style.attributes.contains(.bold) { flags |= kettle_attr_bold() }
    if style.attributes.contains(.dim) { flags |= kettle_attr_dim() }
    if style.attributes.contains(.reverse) { flags |= kettle_attr_reverse() }
    if style.attributes.contains(.underline) { flags |= kettle_attr_underline() }
    var pair: Int32 = 0
    if style.foreground != .standard || style.background != .standard {
      pair = max(0, alloc_pair(Self.number(style.foreground), Self.number(style.background)))
    }
    attributes[style] = (flags, pair)
    return (flags, pair)
  }

  /// -1 is the terminal's own colour (default_colors(3x)).
  private static func number(_ color: Color) -> Int32 {
    switch color {
    case .standard: -1
    case .palette(let index): Int32(index)
    case .rgb(let red, let green, let blue):
      Int32(red) << 16 | Int32(green) << 8 | Int32(blue)
    }
  }
}
