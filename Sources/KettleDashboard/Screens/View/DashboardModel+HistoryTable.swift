import KettleModel

/// The rows of the history: file, size, host and time.
extension DashboardModel {
  func drawHistoryNames(on canvas: inout Canvas) {
    let columns = HistoryColumns(width: size.columns)
    canvas.fill(row: layout.columnNamesRow, column: 0, width: size.columns, .columnHeader)
    func name(_ text: String, _ key: RowSort.Key, _ place: Range<Int>, isRight: Bool) {
      let shown = key == sort.key ? text + " " + canvas.look.glyphs.arrow(of: sort) : text
      if isRight {
        canvas.putRight(
          shown, row: layout.columnNamesRow, column: place.lowerBound, width: place.count,
          .columnHeader)
      } else {
        canvas.put(
          shown, row: layout.columnNamesRow, column: place.lowerBound, width: place.count,
          .columnHeader)
      }
      canvas.claim(row: layout.columnNamesRow, columns: place, for: .column(key))
    }
    name(Strings.columnFile, .title, columns.file, isRight: false)
    if let place = columns.size { name(Strings.columnSize, .size, place, isRight: true) }
    if let place = columns.host { name(Strings.columnHost, .host, place, isRight: false) }
    name(Strings.columnFinished, .finishedAt, columns.finished, isRight: true)
  }

  func drawHistory(
    _ row: TransferSnapshot, on canvas: inout Canvas, screenRow: Int, _ now: Moment
  ) {
    let columns = HistoryColumns(width: size.columns)
    let plain: Role = link.isConnected ? .plain : .quiet
    canvas.put(
      canvas.look.glyphs.symbol(row.state), row: screenRow, column: TableColumns.symbolColumn,
      width: 1, link.isConnected ? row.stateRole : .quiet)
    canvas.put(
      row.shownTitle, row: screenRow, column: columns.file.lowerBound, width: columns.file.count,
      plain)
    if let place = columns.size {
      canvas.putRight(
        row.sizeText, row: screenRow, column: place.lowerBound, width: place.count, plain)
    }
    if let place = columns.host {
      canvas.put(
        String(row.host), row: screenRow, column: place.lowerBound, width: place.count, plain)
    }
    if let finishedAt = row.finishedAt {
      let full = clockText.long(finishedAt, now: now.wall)
      let fits = full.utf8.count <= columns.finished.count
      canvas.putRight(
        fits ? full : clockText.short(finishedAt, now: now.wall), row: screenRow,
        column: columns.finished.lowerBound, width: columns.finished.count, plain)
    }
  }
}
