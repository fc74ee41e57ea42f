import KettleModel

/// The table of transfers.
extension DashboardModel {
  func drawTable(on canvas: inout Canvas, at now: Moment) {
    let columns = TableColumns(width: size.columns)
    switch view.kind {
    case .transfers: drawColumnNames(columns, on: &canvas)
    case .history: drawHistoryNames(on: &canvas)
    }
    guard let window else {
      drawInBody(Strings.waitingForRows, on: &canvas)
      return
    }
    if window.matchingCount == 0 {
      drawInBody(emptyText, on: &canvas)
      return
    }
    let fileColumns =
      view.kind == .history ? HistoryColumns(width: size.columns).file : columns.file
    for line in 0..<layout.bodyHeight {
      let index = firstVisible + line
      guard index < window.matchingCount else { break }
      let screenRow = layout.bodyTop + line
      canvas.claim(row: screenRow, columns: 0..<size.columns, for: .row(index))
      if let row = window.row(at: index) {
        switch view.kind {
        case .transfers: draw(row, in: columns, on: &canvas, screenRow: screenRow, at: now)
        case .history: drawHistory(row, on: &canvas, screenRow: screenRow, at: now)
        }
        drawMatches(in: row, on: &canvas, screenRow: screenRow, columns: fileColumns)
        if marks.contains(row.id) { drawMark(on: &canvas, row: screenRow) }
      } else {
        canvas.write(
          "…", row: screenRow, column: fileColumns.lowerBound, width: fileColumns.count, .quiet)
      }
      if index == cursor, isListOnTop { markCursor(columns, on: &canvas, row: screenRow) }
    }
  }

  private var emptyText: [String] {
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

  private func draw(
    _ row: TransferSnapshot, in columns: TableColumns, on canvas: inout Canvas, screenRow: Int,
    at now: Moment
  ) {
    // While the service is disconnected, the rows show the last known state.
    let plain: Role = link.isConnected ? .plain : .quiet
    canvas.write(
      canvas.look.glyphs.symbol(row.state), row: screenRow, column: TableColumns.symbolColumn,
      width: 1, link.isConnected ? row.stateRole : .quiet)
    canvas.write(
      row.shownTitle, row: screenRow, column: columns.file.lowerBound, width: columns.file.count,
      plain)
    if let bar = columns.bar {
      let progress = ProgressBar(row, at: now, isLive: link.isConnected)
      progress.draw(on: &canvas, row: screenRow, column: bar.lowerBound, width: bar.count)
    }
    func right(_ text: String, in range: Range<Int>?, _ role: Role) {
      guard let range else { return }
      canvas.writeRight(
        text, row: screenRow, column: range.lowerBound, width: range.count, role)
    }
    if let text = row.percentText { right(text, in: columns.percent, plain) }
    right(row.sizeText, in: columns.size, plain)
    drawStatus(of: row, in: columns, on: &canvas, screenRow: screenRow, at: now)
    drawOrigin(of: row, in: columns, on: &canvas, screenRow: screenRow)
    right(clockText.short(row.createdAt, now: now.wall), in: columns.added, .quiet)
  }

  /// Draws the status: numbers while the transfer runs, otherwise words.
  private func drawStatus(
    of row: TransferSnapshot, in columns: TableColumns, on canvas: inout Canvas, screenRow: Int,
    at now: Moment
  ) {
    guard let speedRange = columns.speed else { return }
    let plain: Role = link.isConnected ? .plain : .quiet
    func right(_ text: String, in range: Range<Int>?) {
      guard let range else { return }
      canvas.writeRight(
        text, row: screenRow, column: range.lowerBound, width: range.count, plain)
    }
    switch RowStatus(row, clock: clockText, now: now.wall) {
    case .moving(let speeds, let left, let connections):
      right(speeds.first { shownWidth($0) <= speedRange.count } ?? "", in: speedRange)
      right(left, in: columns.left)
      right(connections, in: columns.connections)
    case .words(let forms, let clock):
      let clockRange = clock.isEmpty ? nil : columns.left
      let room = clockRange == nil ? columns.words : speedRange
      let text = forms.first { shownWidth($0) <= room.count } ?? forms.last ?? ""
      canvas.write(
        text, row: screenRow, column: room.lowerBound, width: room.count,
        link.isConnected ? row.stateRole : .quiet)
      right(clock, in: clockRange)
    }
  }

  private func drawOrigin(
    of row: TransferSnapshot, in columns: TableColumns, on canvas: inout Canvas, screenRow: Int
  ) {
    func left(_ text: String, in range: Range<Int>?) {
      guard let range else { return }
      canvas.write(text, row: screenRow, column: range.lowerBound, width: range.count, .quiet)
    }
    left(String(row.host), in: columns.host)
    left(row.session.rawValue, in: columns.session)
  }

  private func shownWidth(_ text: String) -> Int {
    ShownText(text, charset: .utf8, columnsMax: size.columns + 1).columns
  }

  private func markCursor(_ columns: TableColumns, on canvas: inout Canvas, row: Int) {
    canvas.write(">", row: row, column: TableColumns.markColumn, width: 1, .heading)
    let look = canvas.look
    let bar = view.kind == .history ? 0..<0 : columns.bar ?? 0..<0
    canvas.restyle(row: row, columns: 0..<bar.lowerBound) { look.select(&$0, isBar: false) }
    canvas.restyle(row: row, columns: bar) { look.select(&$0, isBar: true) }
    let rest = bar.upperBound..<size.columns
    canvas.restyle(row: row, columns: rest) { look.select(&$0, isBar: false) }
  }
}
