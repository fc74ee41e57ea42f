import CKettleNcurses
import Glibc
import KettleDashboard

/// Writes the cells that changed into the window of ncurses, which sends what differs from the
/// screen.
struct CellPainter {
  private var attributes: [Style: (attributes: attr_t, pair: Int32)] = [:]
  /// Neighbouring cells usually have the same style.
  private var latest: (style: Style, attributes: attr_t, pair: Int32)?

  mutating func paint(_ frame: Frame, over shown: Frame?) {
    frame.forEachChange(from: shown) { row, column, cell in
      paint(cell, row: Int32(row), column: Int32(column))
    }
  }

  private mutating func paint(_ cell: Cell, row: Int32, column: Int32) {
    // The right half of a wide character is written with its left half.
    guard let base = cell.base, cell.width > 0 else { return }
    let look = rendition(of: cell.style)
    func write(_ scalars: [Unicode.Scalar], _ column: Int32) {
      var text = scalars.map { wchar_t($0.value) }
      text.append(0)
      kettle_put_cell(row, column, text, look.attributes, look.pair)
    }
    if base.isASCII, cell.width == 1, !cell.hasMarks {
      kettle_put_character(row, column, wchar_t(base.value), look.attributes, look.pair)
    } else if kettle_character_width(wchar_t(base.value)) == Int32(cell.width) {
      write([base] + cell.combining, column)
    } else {
      // If the C library disagrees about the width, everything to the right would shift: a
      // placeholder replaces the character.
      write(["?"], column)
      if cell.width == 2 { write([" "], column + 1) }
    }
  }

  private mutating func rendition(of style: Style) -> (attributes: attr_t, pair: Int32) {
    if let latest, latest.style == style { return (latest.attributes, latest.pair) }
    let found = attributes[style] ?? Self.rendition(of: style)
    attributes[style] = found
    latest = (style, found.attributes, found.pair)
    return found
  }

  private static func rendition(of style: Style) -> (attributes: attr_t, pair: Int32) {
    var flags: attr_t = 0
    if style.attributes.contains(.bold) { flags |= kettle_attr_bold() }
    if style.attributes.contains(.dim) { flags |= kettle_attr_dim() }
    if style.attributes.contains(.reverse) { flags |= kettle_attr_reverse() }
    if style.attributes.contains(.underline) { flags |= kettle_attr_underline() }
    var pair: Int32 = 0
    if style.foreground != .standard || style.background != .standard {
      pair = max(0, alloc_pair(number(style.foreground), number(style.background)))
    }
    return (flags, pair)
  }

  /// -1 is the terminal's default colour (default_colors(3x)).
  private static func number(_ color: Color) -> Int32 {
    switch color {
    case .standard: -1
    case .palette(let index): Int32(index)
    case .rgb(let red, let green, let blue):
      Int32(red) << 16 | Int32(green) << 8 | Int32(blue)
    }
  }
}
