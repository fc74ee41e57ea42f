import KettleModel

/// The rows of the history: file, size, host and time.
extension DashboardModel {
  func drawHistoryNames(on canvas: inout Canvas) {
    let columns = HistoryColumns(width: size.columns)
    canvas.fill(row: layout.columnNamesRow, column: 0, width: size.columns, .columnHeader)
    func name(_ text: String, key: RowSort.Key, in range: Range<Int>, isRight: Bool) {
      let shown = key == sort.key ? text + " " + canvas.look.glyphs.arrow(of: sort) : text
      if isRight {
        canvas.writeRight(
          shown, row: layout.columnNamesRow, column: range.lowerBound, width: range.count,
          .columnHeader)
      } else {
        canvas.write(
          shown, row: layout.columnNamesRow, column: range.lowerBound, width: range.count,
          .columnHeader)
      }
      canvas.claim(row: layout.columnNamesRow, columns: range, for: .column(key))
    }
    name(Strings.columnFile, key: .title, in: columns.file, isRight: false)
    if let range = columns.size { name(Strings.columnSize, key: .size, in: range, isRight: true) }
    if let range = columns.host { name(Strings.columnHost, key: .host, in: range, isRight: false) }
    name(Strings.columnFinished, key: .finishedAt, in: columns.finished, isRight: true)
  }

  func drawHistory(
    _ row: TransferSnapshot, on canvas: inout Canvas, screenRow: Int, at now: Moment
  ) {
    let columns = HistoryColumns(width: size.columns)
    let plain: Role = link.isConnected ? .plain : .quiet
    canvas.write(
      canvas.look.glyphs.symbol(row.state), row: screenRow, column: TableColumns.symbolColumn,
      width: 1, link.isConnected ? row.stateRole : .quiet)
    canvas.write(
      row.shownTitle, row: screenRow, column: columns.file.lowerBound, width: columns.file.count,
      plain)
    if let range = columns.size {
      canvas.writeRight(
        row.sizeText, row: screenRow, column: range.lowerBound, width: range.count, plain)
    }
    if let range = columns.host {
      canvas.write(
        String(row.host), row: screenRow, column: range.lowerBound, width: range.count, plain)
    }
    if let finishedAt = row.finishedAt {
      let full = clockText.long(finishedAt, now: now.wall)
      let fits = full.utf8.count <= columns.finished.count
      canvas.writeRight(
        fits ? full : clockText.short(finishedAt, now: now.wall), row: screenRow,
        column: columns.finished.lowerBound, width: columns.finished.count, plain)
    }
  }
}
