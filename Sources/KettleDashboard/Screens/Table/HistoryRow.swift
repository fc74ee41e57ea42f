import KettleModel

/// A row of the history: file, size, host and time.
struct HistoryRow {
  let row: TransferSnapshot
  let columns: HistoryColumns

  func draw(on canvas: inout Canvas, screenRow: Int, _ context: ScreenContext) {
    let plain: Role = context.isConnected ? .plain : .quiet
    canvas.write(
      canvas.look.glyphs.symbol(row.state), row: screenRow, column: TableColumns.symbolColumn,
      width: 1, context.isConnected ? row.stateRole : .quiet)
    canvas.write(
      row.shownTitle, row: screenRow, column: columns.file.lowerBound, width: columns.file.count,
      plain, cut: .middle)
    if let range = columns.size {
      canvas.writeRight(
        row.sizeText, row: screenRow, column: range.lowerBound, width: range.count, plain)
    }
    if let range = columns.host {
      canvas.write(
        String(row.host), row: screenRow, column: range.lowerBound, width: range.count, plain)
    }
    if let finishedAt = row.finishedAt {
      let full = context.clock.long(finishedAt, now: context.now.wall)
      let fits = full.utf8.count <= columns.finished.count
      canvas.writeRight(
        fits ? full : context.clock.short(finishedAt, now: context.now.wall), row: screenRow,
        column: columns.finished.lowerBound, width: columns.finished.count, plain)
    }
  }
}
