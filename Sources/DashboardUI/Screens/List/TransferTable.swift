import TransferModel

/// The table of transfers.
extension DashboardModel {
  func drawTable(on canvas: inout Canvas, at now: Moment) {
    let columns = TableColumns(width: size.columns)
    drawColumnNames(columns, on: &canvas)
    guard let window else {
      drawInBody(Strings.waitingForRows, on: &canvas)
      return
    }
    if window.matchingCount == 0 {
      drawInBody(Strings.emptyList, on: &canvas)
      return
    }
    for line in 0..<layout.bodyHeight {
      let index = firstVisible + line
      guard index < window.matchingCount else { break }
      let screenRow = layout.bodyTop + line
      canvas.claim(row: screenRow, columns: 0..<size.columns, for: .row(index))
      if let row = window.row(at: index) {
        draw(row, columns, on: &canvas, screenRow: screenRow, now)
        if marks.contains(row.id) { drawMark(on: &canvas, row: screenRow) }
      } else {
        let width = columns.file.count
        canvas.put("…", row: screenRow, column: columns.file.lowerBound, width: width, .quiet)
      }
      if index == cursor, screens.isEmpty { markCursor(columns, on: &canvas, row: screenRow) }
    }
  }

  private func drawInBody(_ lines: [String], on canvas: inout Canvas) {
    let top = layout.bodyTop + max(0, (layout.bodyHeight - lines.count) / 2)
    for (offset, line) in lines.prefix(layout.bodyHeight).enumerated() {
      canvas.putCentred(line, row: top + offset, offset == 0 ? .heading : .quiet)
    }
  }

  private func drawColumnNames(_ columns: TableColumns, on canvas: inout Canvas) {
    canvas.fill(row: 1, column: 0, width: size.columns, .columnHeader)
    func left(_ text: String, _ place: Range<Int>) {
      canvas.put(text, row: 1, column: place.lowerBound, width: place.count, .columnHeader)
    }
    func right(_ text: String, _ place: Range<Int>) {
      canvas.putRight(text, row: 1, column: place.lowerBound, width: place.count, .columnHeader)
    }
    left(Strings.columnFile, columns.file)
    if let bar = columns.bar { left(Strings.columnProgress, bar) }
    if let place = columns.size { right(Strings.columnSize, place) }
    right(Strings.columnSpeed, columns.speed)
    if let place = columns.left { right(Strings.columnLeft, place) }
    if let place = columns.connections { right(Strings.columnConnections, place) }
  }

  private func draw(
    _ row: TransferSnapshot, _ columns: TableColumns, on canvas: inout Canvas, screenRow: Int,
    _ now: Moment
  ) {
    // What is shown while the service is away is what was known last.
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
    func right(_ text: String, _ place: Range<Int>, _ role: Role) {
      canvas.putRight(
        text, row: screenRow, column: place.lowerBound, width: place.count, role)
    }
    if let text = row.percentText { right(text, columns.percent, plain) }
    if let place = columns.size { right(row.sizeText, place, plain) }
    switch RowStatus(row, clock: clockText, now: now.wall) {
    case .moving(let speed, let left, let connections):
      right(speed, columns.speed, plain)
      if let place = columns.left { right(left, place, plain) }
      if let place = columns.connections { right(connections, place, plain) }
    case .words(let forms, let clock):
      let clockPlace = clock.isEmpty ? nil : columns.left
      let room = clockPlace == nil ? columns.words : columns.speed
      let text = forms.first { shownWidth($0) <= room.count } ?? forms.last ?? ""
      canvas.put(
        text, row: screenRow, column: room.lowerBound, width: room.count,
        link.isConnected ? row.stateRole : .quiet)
      if let clockPlace { right(clock, clockPlace, plain) }
    }
  }

  private func shownWidth(_ text: String) -> Int {
    ShownText(text, charset: .utf8, columnsMax: size.columns + 1).columns
  }

  private func markCursor(_ columns: TableColumns, on canvas: inout Canvas, row: Int) {
    canvas.put(">", row: row, column: TableColumns.markColumn, width: 1, .heading)
    let look = canvas.look
    let bar = columns.bar ?? 0..<0
    canvas.restyle(row: row, columns: 0..<bar.lowerBound) { look.select(&$0, isBar: false) }
    canvas.restyle(row: row, columns: bar) { look.select(&$0, isBar: true) }
    let rest = bar.upperBound..<size.columns
    canvas.restyle(row: row, columns: rest) { look.select(&$0, isBar: false) }
  }
}
