import KettleModel

/// The rows of the list or of the history, with their column names.
struct TransferTable {
  /// nil until the first rows arrive.
  let window: ListWindow?
  let view: ListView
  let search: SearchState
  let layout: ListLayout
  let firstVisible: Int
  /// The index of the row under the cursor; nil when the cursor is not shown.
  let cursor: Int?

  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let width = canvas.size.columns
    let needs = ColumnNeeds(window?.rows ?? [], canvas.look.charset)
    let hasScrollbar = (window?.lines.count ?? 0) > layout.bodyHeight
    let columns = TableColumns(
      width: width, needs: needs, hidden: view.hiddenColumns, hasScrollbar: hasScrollbar)
    let historyColumns = HistoryColumns(width: width, needs: needs)
    let names = ColumnNames(row: layout.columnNamesRow, sort: view.sort)
    switch view.kind {
    case .transfers: names.draw(columns, on: &canvas)
    case .history: names.draw(historyColumns, on: &canvas)
    }
    guard let window else { return drawInBody(Strings.waitingForRows, on: &canvas) }
    if window.matchingCount == 0 { return drawInBody(emptyText(context.keymap), on: &canvas) }
    let fileColumns = view.kind == .history ? historyColumns.file : columns.file
    let bar = view.kind == .history ? nil : columns[.bar]
    let days = HistoryDays(window, view, context)
    for line in 0..<layout.bodyHeight {
      let index = firstVisible + line
      guard index < window.lines.count else { break }
      let screenRow = layout.bodyTop + line
      canvas.claim(row: screenRow, columns: 0..<width, for: .row(index))
      if let row = window.row(at: index) {
        switch view.kind {
        case .transfers:
          TransferRow(row: row, columns: columns).draw(on: &canvas, screenRow: screenRow, context)
        case .history:
          HistoryRow(
            row: row, columns: historyColumns, isByDay: days.isByDay,
            day: days.text(at: index, firstVisible: firstVisible)
          )
          .draw(on: &canvas, screenRow: screenRow, context)
        }
        search.highlight(row, on: &canvas, screenRow: screenRow, columns: fileColumns)
        if view.marks.contains(row.id) { Self.drawMark(on: &canvas, row: screenRow) }
      } else if let listed = window.lines.heading(at: index) {
        let heading = GroupHeading(
          listed: listed, sort: view.sort,
          time: { context.clock.long($0, now: context.now.wall) })
        heading.draw(on: &canvas, row: screenRow, nameColumn: fileColumns.lowerBound)
      } else {
        canvas.write(
          "…", row: screenRow, column: fileColumns.lowerBound, width: fileColumns.count, .quiet)
      }
      if index == cursor {
        let isRow = window.lines.row(at: index) != nil
        Self.markCursor(bar: isRow ? bar ?? 0..<0 : 0..<0, on: &canvas, row: screenRow)
      }
    }
    Scrollbar(first: firstVisible, count: window.lines.count, height: layout.bodyHeight)
      .draw(on: &canvas, top: layout.bodyTop, column: width - 1)
  }

  private func emptyText(_ keymap: Keymap) -> [String] {
    if view.isFiltered { return Strings.nothingMatches(view.filterText, keymap) }
    return switch view.kind {
    case .transfers: Strings.emptyList.map(keymap.filled)
    case .history: Strings.emptyHistory.map(keymap.filled)
    }
  }

  private func drawInBody(_ lines: [String], on canvas: inout Canvas) {
    let top = layout.bodyTop + max(0, (layout.bodyHeight - lines.count) / 2)
    for (offset, line) in lines.prefix(layout.bodyHeight).enumerated() {
      canvas.writeCentered(line, row: top + offset, offset == 0 ? .heading : .quiet)
    }
  }

  /// Draws the mark beside the symbol of the state.
  private static func drawMark(on canvas: inout Canvas, row: Int) {
    canvas.write(
      canvas.look.glyphs.mark, row: row, column: TableColumns.symbolColumn + 1, width: 1, .key)
  }

  private static func markCursor(bar: Range<Int>, on canvas: inout Canvas, row: Int) {
    canvas.write(">", row: row, column: TableColumns.markColumn, width: 1, .heading)
    let look = canvas.look
    canvas.restyle(row: row, columns: 0..<bar.lowerBound) { look.select(&$0, isBar: false) }
    canvas.restyle(row: row, columns: bar) { look.select(&$0, isBar: true) }
    let rest = bar.upperBound..<canvas.size.columns
    canvas.restyle(row: row, columns: rest) { look.select(&$0, isBar: false) }
  }
}

extension GlyphSet {
  /// Marks an unfinished transfer whose priority was raised or lowered.
  fileprivate func prioritySign(of row: TransferSnapshot) -> String? {
    if row.state == .completed || row.priority == .normal { return nil }
    return row.priority > .normal ? arrowUp : arrowDown
  }
}

/// A row of the list: progress, numbers while the transfer runs, otherwise words.
struct TransferRow {
  let row: TransferSnapshot
  let columns: TableColumns

  func draw(on canvas: inout Canvas, screenRow: Int, _ context: ScreenContext) {
    // While the service is disconnected, the rows show the last known state.
    let plain: Role = context.isConnected ? .plain : .quiet
    canvas.write(
      canvas.look.glyphs.symbol(row.state), row: screenRow, column: TableColumns.symbolColumn,
      width: 1, context.isConnected ? row.stateRole : .quiet)
    if let sign = canvas.look.glyphs.prioritySign(of: row) {
      canvas.write(sign, row: screenRow, column: TableColumns.symbolColumn + 1, width: 1, .key)
    }
    drawName(on: &canvas, screenRow: screenRow, plain)
    if let bar = columns[.bar] {
      drawProgress(on: &canvas, screenRow: screenRow, columns: bar, context)
    }
    for column in TableColumn.allCases {
      guard let range = columns[column], let text = column.text(of: row, context) else { continue }
      let role = column.traits.isQuiet ? .quiet : plain
      if column.traits.isLeading {
        canvas.write(text, row: screenRow, column: range.lowerBound, width: range.count, role)
      } else {
        canvas.writeRight(text, row: screenRow, column: range.lowerBound, width: range.count, role)
      }
    }
    drawStatus(on: &canvas, screenRow: screenRow, context)
  }

  /// Draws the title, and the subtitle where there is room for it.
  private func drawName(on canvas: inout Canvas, screenRow: Int, _ role: Role) {
    let range = columns.file
    canvas.write(
      row.shownTitle, row: screenRow, column: range.lowerBound, width: range.count, role,
      cut: .middle)
    guard let subtitle = row.shownSubtitle else { return }
    let title = ShownText(
      row.shownTitle, charset: canvas.look.charset, columnsMax: range.count, cut: .middle)
    let start = title.columns + TableColumns.subtitleGap
    guard range.count - start >= TableColumns.subtitleWidthMin else { return }
    canvas.write(
      subtitle, row: screenRow, column: range.lowerBound + start, width: range.count - start,
      .quiet)
  }

  /// Without a total, a moving piece shows that bytes arrive.
  private func drawProgress(
    on canvas: inout Canvas, screenRow: Int, columns: Range<Int>, _ context: ScreenContext
  ) {
    if row.state == .running, row.bytesExpected == nil {
      ProgressBar(row, at: context.now, isLive: context.isConnected)
        .draw(on: &canvas, row: screenRow, column: columns.lowerBound, width: columns.count)
    } else {
      RidgeBar(row)
        .draw(on: &canvas, row: screenRow, column: columns.lowerBound, width: columns.count)
    }
  }

  private func drawStatus(on canvas: inout Canvas, screenRow: Int, _ context: ScreenContext) {
    guard let speedRange = columns[.speed] else { return }
    let plain: Role = context.isConnected ? .plain : .quiet
    func right(_ text: String, in range: Range<Int>?, _ role: Role? = nil) {
      guard let range else { return }
      canvas.writeRight(
        text, row: screenRow, column: range.lowerBound, width: range.count, role ?? plain)
    }
    let width = canvas.size.columns
    switch RowStatus(row, clock: context.clock, now: context.now.wall) {
    case .moving(let speeds, let connections, let ready):
      right(
        speeds.first { Self.width(of: $0, max: width) <= speedRange.count } ?? "", in: speedRange)
      right(connections, in: columns[.connections])
      right(ready, in: columns[.ready])
    case .words(let forms, let ready):
      let readyRange = ready.isEmpty ? nil : columns[.ready]
      let room = readyRange == nil ? columns.words : columns.wordsBeforeReady
      let text =
        forms.first { Self.width(of: $0, max: width) <= room.count } ?? forms.last ?? ""
      canvas.write(
        text, row: screenRow, column: room.lowerBound, width: room.count,
        context.isConnected ? row.stateRole : .quiet)
      // The time at which it was ready is not an estimate.
      right(ready, in: readyRange, row.state == .completed ? .quiet : plain)
    }
  }

  private static func width(of text: String, max: Int) -> Int {
    ShownText(text, charset: .utf8, columnsMax: max + 1).columns
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
