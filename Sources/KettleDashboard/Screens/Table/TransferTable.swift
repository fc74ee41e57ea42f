import KettleModel

/// The rows of the list or of the history, with their column names.
struct TransferTable {
  /// nil until the first rows arrive.
  let window: ListWindow?
  let view: ListView
  let search: SearchState
  let layout: ListLayout
  let firstVisible: Int
  /// The lines at the top that the box of what needs the user shows.
  let pinnedCount: Int
  /// The index of the row under the cursor; nil when the cursor is not shown.
  let cursor: Int?
  let rates: RowRates

  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let width = canvas.size.columns
    let columns = TableColumns(
      width: width, hidden: view.hiddenColumns, hasMachines: context.hasMachines)
    let historyColumns = HistoryColumns(width: width)
    if window?.matchingCount == 0, !view.isFiltered, view.kind == .transfers {
      return drawWelcome(emptyText(context.keymap), on: &canvas)
    }
    let names = ColumnNames(row: layout.columnNamesRow, sort: view.sort)
    switch view.kind {
    case .transfers: names.draw(columns, on: &canvas)
    case .history: names.draw(historyColumns, on: &canvas)
    }
    guard let window else { return drawInBody(Strings.waitingForRows, on: &canvas) }
    if window.matchingCount == 0 { return drawInBody(emptyText(context.keymap), on: &canvas) }
    let first = max(firstVisible, pinnedCount)
    let grid = Grid(
      window: window, first: first, columns: columns, historyColumns: historyColumns,
      days: HistoryDays(of: window, view, context))
    for line in 0..<layout.bodyHeight {
      let index = first + line
      guard index < window.lines.count else { break }
      draw(grid, at: index, row: layout.bodyTop + line, on: &canvas, context)
    }
    let count = window.lines.count - pinnedCount
    Scrollbar(first: first - pinnedCount, count: count, height: layout.bodyHeight)
      .draw(on: &canvas, top: layout.bodyTop, column: width - 1)
  }

  /// What the visible lines have in common.
  private struct Grid {
    let window: ListWindow
    /// The index of the first visible line.
    let first: Int
    let columns: TableColumns
    let historyColumns: HistoryColumns
    let days: HistoryDays
  }

  /// Draws the row or the heading with this index.
  private func draw(
    _ grid: Grid, at index: Int, row screenRow: Int, on canvas: inout Canvas,
    _ context: ScreenContext
  ) {
    let (window, columns) = (grid.window, grid.columns)
    let file = view.kind == .history ? grid.historyColumns.file : columns.file
    canvas.claim(row: screenRow, columns: 0..<canvas.size.columns, for: .row(index))
    if var row = window.row(at: index) {
      if let file = row.member?.path, case .directory(let path) = window.lines.group(at: index) {
        row.member?.path = file.from(path)
      }
      switch view.kind {
      case .transfers where row.needsAnswer:
        NeedsRow(row: row, columns: columns).draw(on: &canvas, screenRow: screenRow, context)
      case .transfers:
        TransferRow(row: row, columns: columns, rates: rates)
          .draw(on: &canvas, screenRow: screenRow, context)
      case .history:
        HistoryRow(
          row: row, columns: grid.historyColumns, isByDay: grid.days.isByDay,
          day: grid.days.text(at: index, firstVisible: grid.first)
        ).draw(on: &canvas, screenRow: screenRow, context)
      }
      search.highlight(row, on: &canvas, screenRow: screenRow, columns: file)
      if view.marks.contains(row.id) { Self.drawMark(on: &canvas, row: screenRow) }
    } else if let listed = window.lines.heading(at: index) {
      let heading = GroupHeading(
        listed: listed, sort: view.sort, rows: window.rows(below: index),
        clock: context.clock, now: context.now.wall)
      heading.draw(on: &canvas, row: screenRow, nameColumn: file.lowerBound)
    } else {
      canvas.write("…", row: screenRow, column: file.lowerBound, width: file.count, .quiet)
    }
    guard index == cursor else { return }
    let hasBar = view.kind == .transfers && window.row(at: index)?.hasBar == true
    let bar = hasBar ? columns[.bar] ?? 0..<0 : 0..<0
    Self.markCursor(bar: bar, on: &canvas, row: screenRow)
  }

  private func emptyText(_ keymap: Keymap) -> [String] {
    if view.isFiltered { return Strings.nothingMatches(view.filterText, keymap) }
    return switch view.kind {
    case .transfers: Strings.emptyList.map(keymap.filled)
    case .history: Strings.emptyHistory.map(keymap.filled)
    }
  }

  /// Draws a kettle beside the first steps.
  private func drawWelcome(_ lines: [String], on canvas: inout Canvas) {
    let widest = lines.reduce(0) { max($0, $1.count) }
    let width = Strings.kettle[0].count + 4 + widest
    guard layout.bodyHeight >= Strings.kettle.count + 2, canvas.size.columns >= width + 4 else {
      return drawInBody(lines, on: &canvas)
    }
    let top = layout.bodyTop + (layout.bodyHeight - Strings.kettle.count) / 2
    let left = (canvas.size.columns - width) / 2
    for (offset, line) in Strings.kettle.enumerated() {
      canvas.write(
        line, row: top + offset, column: left, width: line.count, offset < 2 ? .waiting : .key)
    }
    let start = left + Strings.kettle[0].count + 4
    for (offset, line) in lines.enumerated() {
      let row = top + 1 + offset
      canvas.write(line, row: row, column: start, width: widest, offset == 0 ? .heading : .quiet)
      if offset > 0 { Self.markKeys(of: line, on: &canvas, row: row, column: start) }
    }
  }

  /// Gives the keys their color: what begins a line or stands between wide gaps in it, each before
  /// its explanation.
  private static func markKeys(of line: String, on canvas: inout Canvas, row: Int, column: Int) {
    let style = canvas.look.style(.key)
    var (isKey, blankCount) = (true, 0)
    for (offset, character) in line.enumerated() {
      blankCount = character == " " ? blankCount + 1 : 0
      if blankCount == 2 { isKey.toggle() }
      guard isKey, character != " " else { continue }
      canvas.restyle(row: row, columns: (column + offset)..<(column + offset + 1)) { $0 = style }
    }
  }

  private func drawInBody(_ lines: [String], on canvas: inout Canvas) {
    let top = layout.bodyTop + max(0, (layout.bodyHeight - lines.count) / 2)
    for (offset, line) in lines.prefix(layout.bodyHeight).enumerated() {
      canvas.writeCentered(line, row: top + offset, offset == 0 ? .heading : .quiet)
    }
  }

  /// Draws the mark beside the symbol of the state.
  static func drawMark(on canvas: inout Canvas, row: Int) {
    canvas.write(
      canvas.look.glyphs.mark, row: row, column: TableColumns.symbolColumn + 1, width: 1, .key)
  }

  /// - Parameter bar: the columns of a bar, whose colors mean something.
  static func markCursor(bar: Range<Int> = 0..<0, on canvas: inout Canvas, row: Int) {
    let look = canvas.look
    canvas.write(
      look.glyphs.cursor, row: row, column: TableColumns.cursorColumn, width: 1, .attentionTitle)
    canvas.restyle(row: row, columns: 0..<bar.lowerBound) { look.select(&$0, isBar: false) }
    canvas.restyle(row: row, columns: bar) { look.select(&$0, isBar: true) }
    let rest = bar.upperBound..<(canvas.size.columns - 1)
    canvas.restyle(row: row, columns: rest) { look.select(&$0, isBar: false) }
  }
}

extension TransferSnapshot {
  /// Whether it waits for the user.
  var needsAnswer: Bool { RowGroup(state, reason) == .needsUser }

  fileprivate var hasBar: Bool {
    switch state {
    case .running, .verifying: true
    case .paused: bytesReceived > 0
    case .idle, .scheduled, .queued, .waiting, .completed, .failed: false
    }
  }
}

/// A bar in one column that shows which part of a list is visible.
package struct Scrollbar: Hashable, Sendable {
  /// The lines of the thumb, from 0; nil when the whole list is visible.
  package let thumb: Range<Int>?
  private let height: Int

  package init(first: Int, count: Int, height: Int) {
    self.height = height
    guard height > 1, count > height else {
      thumb = nil
      return
    }
    let length = max(1, Int(Double(height) * Double(height) / Double(count)))
    let way = Double(height - length)
    let part = min(max(Double(first) / Double(count - height), 0), 1)
    var start = Int(part * way + 0.5)
    // The ends are shown only for the first and the last row.
    if first > 0, start == 0, height > length { start = 1 }
    if first < count - height, start == height - length { start = max(0, start - 1) }
    thumb = start..<(start + length)
  }

  func draw(on canvas: inout Canvas, top: Int, column: Int) {
    guard let thumb else { return }
    let glyphs = canvas.look.glyphs
    for line in 0..<height {
      let glyph = thumb.contains(line) ? glyphs.scrollbarThumb : glyphs.scrollbarTrack
      canvas.write(glyph, row: top + line, column: column, width: 1, .quiet)
    }
  }
}
