import KettleModel

/// A frame that is being drawn with one look.
package struct Canvas {
  package private(set) var frame: Frame
  package let look: Look
  /// The clickable regions; where two overlap, the later one counts.
  package private(set) var regions: [HitRegion] = []

  package init(size: ScreenSize, look: Look) {
    frame = Frame(size: size, style: look.style(.plain))
    self.look = look
  }

  package var size: ScreenSize { frame.size }

  /// Writes a text, cut to `width`, and returns the number of columns it occupies.
  @discardableResult
  package mutating func write(
    _ text: String, row: Int, column: Int, width: Int, _ role: Role = .plain,
    cut: ShownText.Cut = .end
  ) -> Int {
    let room = min(width, size.columns - column)
    let shown = ShownText(text, charset: look.charset, columnsMax: room, cut: cut)
    write(shown, row: row, column: column, style: look.style(role))
    return shown.columns
  }

  /// Writes a text right-aligned.
  package mutating func writeRight(
    _ text: String, row: Int, column: Int, width: Int, _ role: Role = .plain
  ) {
    let shown = ShownText(text, charset: look.charset, columnsMax: width)
    write(shown, row: row, column: column + width - shown.columns, style: look.style(role))
  }

  package mutating func writeCentered(_ text: String, row: Int, _ role: Role = .plain) {
    let shown = ShownText(text, charset: look.charset, columnsMax: size.columns)
    write(shown, row: row, column: (size.columns - shown.columns) / 2, style: look.style(role))
  }

  /// Fills several cells with one of the dashboard's own symbols, which are one column wide.
  package mutating func fill(
    row: Int, column: Int, width: Int, _ role: Role, with sign: String = " "
  ) {
    guard width > 0, let scalar = sign.unicodeScalars.first else { return }
    let end = column.addingReportingOverflow(width)
    let columns = min(column, size.columns)..<(end.overflow ? size.columns : end.partialValue)
    frame.fill(scalar, row: row, columns: columns, style: look.style(role))
  }

  package mutating func restyle(row: Int, columns: Range<Int>, _ change: (inout Style) -> Void) {
    frame.restyle(row: row, columns: columns, change)
  }

  /// Writes one of the dashboard's own symbols.
  mutating func plot(_ sign: String, row: Int, column: Int, _ style: Style) {
    guard let scalar = sign.unicodeScalars.first else { return }
    frame.fill(scalar, row: row, columns: column..<(column + 1), style: style)
  }

  /// Makes cells of a row clickable.
  package mutating func claim(row: Int, columns: Range<Int>, for target: ClickTarget) {
    regions.append(HitRegion(row: row, columns: columns, target: target))
  }

  /// Draws something narrower on a canvas of its own, and copies these rows of it, with what is
  /// clickable in them.
  mutating func drawPart(
    columns: Range<Int>, rows: Range<Int>, _ draw: (inout Canvas) -> Void
  ) {
    guard !columns.isEmpty else { return }
    var part = Canvas(
      size: ScreenSize(columns: columns.count, rows: min(size.rows, rows.upperBound)), look: look)
    draw(&part)
    frame.paste(part.frame, rows: rows, column: columns.lowerBound)
    if let cursor = part.frame.cursor {
      placeCursor(row: cursor.row, column: cursor.column + columns.lowerBound)
    }
    for region in part.regions where rows.contains(region.row) {
      let start = region.columns.lowerBound + columns.lowerBound
      regions.append(
        HitRegion(
          row: region.row, columns: start..<(start + region.columns.count), target: region.target))
    }
  }

  package mutating func placeCursor(row: Int, column: Int) {
    guard (0..<size.rows).contains(row), (0..<size.columns).contains(column) else { return }
    frame.cursor = Frame.Position(row: row, column: column)
  }

  private mutating func write(_ text: ShownText, row: Int, column: Int, style: Style) {
    switch text.content {
    case .plain(let plain, let isCut):
      frame.write(
        ascii: plain.utf8, row: row, column: column, width: text.columns, style: style)
      if isCut {
        let mark = ShownText.cutMark(look.charset)
        frame.write(mark, width: 1, row: row, column: column + text.columns - 1, style: style)
      }
    case .glyphs(let glyphs):
      var next = column
      for glyph in glyphs {
        frame.write(glyph.text, width: glyph.width, row: row, column: next, style: style)
        next += glyph.width
      }
    }
  }
}

/// The meaning of a click at a position on the screen.
package enum ClickTarget: Hashable, Sendable {
  /// A row of the list, by its index.
  case row(Int)
  /// The name of a column.
  case column(RowSort.Key)
  /// The number of transfers in a state.
  case state(TransferState)
  /// Acts like a key, or like an action regardless of its key.
  case key(Key)
  case action(String)
  /// A line of a menu.
  case choice(Int)
  /// No action, but within the topmost screen, so that a click there does not close it.
  case inside
}

/// A part of one screen row that responds to clicks.
package struct HitRegion: Hashable, Sendable {
  package var row: Int
  package var columns: Range<Int>
  package var target: ClickTarget

  package init(row: Int, columns: Range<Int>, target: ClickTarget) {
    self.row = row
    self.columns = columns
    self.target = target
  }

  func holds(row: Int, column: Int) -> Bool { self.row == row && columns.contains(column) }
}
