import KettleModel

/// The line with the column names. It shows the sort column, and a click on a name sorts by it.
extension DashboardModel {
  func drawColumnNames(_ columns: TableColumns, on canvas: inout Canvas) {
    let row = layout.columnNamesRow
    canvas.fill(row: row, column: 0, width: size.columns, .columnHeader)
    let sign = TableColumns.symbolColumn
    drawColumnName("", key: .state, in: sign..<(sign + 1), side: .leading, on: &canvas)
    drawColumnName(Strings.columnFile, key: .title, in: columns.file, side: .leading, on: &canvas)
    drawColumnName(
      Strings.columnProgress, key: .progress, in: columns.bar, side: .leading, on: &canvas)
    // Beside a bar the percentage needs no name.
    if columns.bar == nil { drawColumnName("%", key: .progress, in: columns.percent, on: &canvas) }
    drawColumnName(Strings.columnSize, key: .size, in: columns.size, on: &canvas)
    drawColumnName(Strings.columnSpeed, key: .speed, in: columns.speed, on: &canvas)
    drawColumnName(Strings.columnLeft, key: .secondsLeft, in: columns.left, on: &canvas)
    drawColumnName(
      Strings.columnConnections, key: .connections, in: columns.connections, on: &canvas)
    drawColumnName(Strings.columnHost, key: .host, in: columns.host, side: .leading, on: &canvas)
    drawColumnName(
      Strings.columnSession, key: .session, in: columns.session, side: .leading, on: &canvas)
    drawColumnName(Strings.columnAdded, key: .createdAt, in: columns.added, on: &canvas)
  }

  private enum Side { case leading, trailing }

  private func drawColumnName(
    _ name: String, key: RowSort.Key, in columns: Range<Int>?, side: Side = .trailing,
    on canvas: inout Canvas
  ) {
    guard let columns else { return }
    let row = layout.columnNamesRow
    let arrow = sort.key == key ? canvas.look.glyphs.arrow(of: sort) : ""
    canvas.claim(row: row, columns: columns, for: .column(key))
    switch side {
    case .leading:
      let text = name.isEmpty || arrow.isEmpty ? name + arrow : name + " " + arrow
      canvas.write(text, row: row, column: columns.lowerBound, width: columns.count, .columnHeader)
    case .trailing:
      // If a name fills its column, its arrow uses the gap before it.
      let text = arrow.isEmpty ? name : arrow + name
      let start = columns.lowerBound - 1
      canvas.writeRight(text, row: row, column: start, width: columns.count + 1, .columnHeader)
    }
  }
}
