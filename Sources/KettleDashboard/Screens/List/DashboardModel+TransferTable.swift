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
        case .transfers: draw(row, columns, on: &canvas, screenRow: screenRow, now)
        case .history: drawHistory(row, on: &canvas, screenRow: screenRow, now)
        }
        drawMatches(in: row, on: &canvas, screenRow: screenRow, fileColumns)
        if marks.contains(row.id) { drawMark(on: &canvas, row: screenRow) }
      } else {
        let width = columns.file.count
        canvas.put("…", row: screenRow, column: columns.file.lowerBound, width: width, .quiet)
      }
      if index == cursor, isListOnTop { markCursor(columns, on: &canvas, row: screenRow) }
    }
  }

  private var emptyText: [String] {
    if view.isFiltered { return Strings.nothingPasses(view.filterText, keymap) }
    return switch view.kind {
    case .transfers: Strings.emptyList.map(keymap.filled)
    case .history: Strings.emptyHistory.map(keymap.filled)
    }
  }

  private func drawInBody(_ lines: [String], on canvas: inout Canvas) {
    let top = layout.bodyTop + max(0, (layout.bodyHeight - lines.count) / 2)
    for (offset, line) in lines.prefix(layout.bodyHeight).enumerated() {
      canvas.putCentred(line, row: top + offset, offset == 0 ? .heading : .quiet)
    }
  }

  private func draw(
    _ row: TransferSnapshot, _ columns: TableColumns, on canvas: inout Canvas, screenRow: Int,
    _ now: Moment
  ) {
    // While the service is disconnected, the rows show the last known state.
    let plain: Role = link.isConnected ? .plain : .quiet
    canvas.put(
      canvas.look.glyphs.symbol(row.state), row: screenRow, column: TableColumns.symbolColumn,
      width: 1, link.isConnected ? row.stateRole : .quiet)
    canvas.put(
      row.shownTitle, row: screenRow, column: columns.file.lowerBound, width: columns.file.count,
      plain)
    if let bar = columns.bar {
      let progress = ProgressBar(row, at: now, isLive: link.isConnected)
      progress.draw(on: &canvas, row: screenRow, column: bar.lowerBound, width: bar.count)
    }
    func right(_ text: String, _ place: Range<Int>?, _ role: Role) {
      guard let place else { return }
      canvas.putRight(
        text, row: screenRow, column: place.lowerBound, width: place.count, role)
    }
    if let text = row.percentText { right(text, columns.percent, plain) }
    right(row.sizeText, columns.size, plain)
    drawStatus(of: row, columns, on: &canvas, screenRow: screenRow, now)
    drawOrigin(of: row, columns, on: &canvas, screenRow: screenRow)
    right(clockText.short(row.createdAt, now: now.wall), columns.added, .quiet)
  }

  /// Draws the status: numbers while the transfer runs, otherwise words.
  private func drawStatus(
    of row: TransferSnapshot, _ columns: TableColumns, on canvas: inout Canvas, screenRow: Int,
    _ now: Moment
  ) {
    guard let speedPlace = columns.speed else { return }
    let plain: Role = link.isConnected ? .plain : .quiet
    func right(_ text: String, _ place: Range<Int>?) {
      guard let place else { return }
      canvas.putRight(
        text, row: screenRow, column: place.lowerBound, width: place.count, plain)
    }
    switch RowStatus(row, clock: clockText, now: now.wall) {
    case .moving(let speeds, let left, let connections):
      right(speeds.first { shownWidth($0) <= speedPlace.count } ?? "", speedPlace)
      right(left, columns.left)
      right(connections, columns.connections)
    case .words(let forms, let clock):
      let clockPlace = clock.isEmpty ? nil : columns.left
      let room = clockPlace == nil ? columns.words : speedPlace
      let text = forms.first { shownWidth($0) <= room.count } ?? forms.last ?? ""
      canvas.put(
        text, row: screenRow, column: room.lowerBound, width: room.count,
        link.isConnected ? row.stateRole : .quiet)
      right(clock, clockPlace)
    }
  }

  private func drawOrigin(
    of row: TransferSnapshot, _ columns: TableColumns, on canvas: inout Canvas, screenRow: Int
  ) {
    func left(_ text: String, _ place: Range<Int>?) {
      guard let place else { return }
      canvas.put(text, row: screenRow, column: place.lowerBound, width: place.count, .quiet)
    }
    left(String(row.host), columns.host)
    left(row.session.rawValue, columns.session)
  }

  private func shownWidth(_ text: String) -> Int {
    ShownText(text, charset: .utf8, columnsMax: size.columns + 1).columns
  }

  private func markCursor(_ columns: TableColumns, on canvas: inout Canvas, row: Int) {
    canvas.put(">", row: row, column: TableColumns.markColumn, width: 1, .heading)
    let look = canvas.look
    let bar = view.kind == .history ? 0..<0 : columns.bar ?? 0..<0
    canvas.restyle(row: row, columns: 0..<bar.lowerBound) { look.select(&$0, isBar: false) }
    canvas.restyle(row: row, columns: bar) { look.select(&$0, isBar: true) }
    let rest = bar.upperBound..<size.columns
    canvas.restyle(row: row, columns: rest) { look.select(&$0, isBar: false) }
  }
}
