import KettleModel

/// The line with the column names. It shows the sort column, and a click on a name sorts by it.
extension DashboardModel {
  func drawColumnNames(_ columns: TableColumns, on canvas: inout Canvas) {
    let row = layout.columnNamesRow
    canvas.fill(row: row, column: 0, width: size.columns, .columnHeader)
    let sign = TableColumns.symbolColumn
    drawColumnName("", .state, sign..<(sign + 1), .leading, on: &canvas)
    drawColumnName(Strings.columnFile, .title, columns.file, .leading, on: &canvas)
    drawColumnName(Strings.columnProgress, .progress, columns.bar, .leading, on: &canvas)
    // Beside a bar the percentage needs no name.
    if columns.bar == nil { drawColumnName("%", .progress, columns.percent, on: &canvas) }
    drawColumnName(Strings.columnSize, .size, columns.size, on: &canvas)
    drawColumnName(Strings.columnSpeed, .speed, columns.speed, on: &canvas)
    drawColumnName(Strings.columnLeft, .secondsLeft, columns.left, on: &canvas)
    drawColumnName(Strings.columnConnections, .connections, columns.connections, on: &canvas)
    drawColumnName(Strings.columnHost, .host, columns.host, .leading, on: &canvas)
    drawColumnName(Strings.columnSession, .session, columns.session, .leading, on: &canvas)
    drawColumnName(Strings.columnAdded, .createdAt, columns.added, on: &canvas)
  }

  private enum Side { case leading, trailing }

  private func drawColumnName(
    _ name: String, _ key: RowSort.Key, _ place: Range<Int>?, _ side: Side = .trailing,
    on canvas: inout Canvas
  ) {
    guard let place else { return }
    let row = layout.columnNamesRow
    let arrow = sort.key == key ? canvas.look.glyphs.arrow(of: sort) : ""
    canvas.claim(row: row, columns: place, for: .column(key))
    switch side {
    case .leading:
      let text = name.isEmpty || arrow.isEmpty ? name + arrow : name + " " + arrow
      canvas.put(text, row: row, column: place.lowerBound, width: place.count, .columnHeader)
    case .trailing:
      // If a name fills its column, its arrow uses the gap before it.
      let text = arrow.isEmpty ? name : arrow + name
      let start = place.lowerBound - 1
      canvas.putRight(text, row: row, column: start, width: place.count + 1, .columnHeader)
    }
  }
}
