import KettleModel

/// The line with the column names. It shows the sort column, and a click on a name sorts by it.
struct ColumnNames {
  let row: Int
  let sort: RowSort

  func draw(_ columns: TableColumns, on canvas: inout Canvas) {
    fill(on: &canvas)
    let sign = TableColumns.symbolColumn
    draw("", key: .state, in: sign..<(sign + 1), side: .leading, on: &canvas)
    draw(Strings.columnFile, key: .title, in: columns.file, side: .leading, on: &canvas)
    draw(Strings.columnProgress, key: .progress, in: columns.bar, side: .leading, on: &canvas)
    // Beside a bar the percentage needs no name.
    if columns.bar == nil { draw("%", key: .progress, in: columns.percent, on: &canvas) }
    draw(Strings.columnSize, key: .size, in: columns.size, on: &canvas)
    draw(Strings.columnSpeed, key: .speed, in: columns.speed, on: &canvas)
    draw(Strings.columnConnections, key: .connections, in: columns.connections, on: &canvas)
    draw(Strings.columnReady, key: .secondsLeft, in: columns.ready, on: &canvas)
    draw(Strings.columnHost, key: .host, in: columns.host, side: .leading, on: &canvas)
    draw(Strings.columnSession, key: .session, in: columns.session, side: .leading, on: &canvas)
    draw(Strings.columnAdded, key: .createdAt, in: columns.added, on: &canvas)
  }

  func draw(_ columns: HistoryColumns, on canvas: inout Canvas) {
    fill(on: &canvas)
    draw(Strings.columnFile, key: .title, in: columns.file, side: .leading, on: &canvas)
    draw(Strings.columnSize, key: .size, in: columns.size, side: .trailingInside, on: &canvas)
    draw(Strings.columnHost, key: .host, in: columns.host, side: .leading, on: &canvas)
    draw(
      Strings.columnFinished, key: .finishedAt, in: columns.finished, side: .trailingInside,
      on: &canvas)
  }

  private enum Side {
    case leading
    /// If a name fills its column, its arrow uses the gap before it.
    case trailing
    /// The arrow follows the name.
    case trailingInside
  }

  private func fill(on canvas: inout Canvas) {
    canvas.fill(row: row, column: 0, width: canvas.size.columns, .columnHeader)
  }

  private func draw(
    _ name: String, key: RowSort.Key, in columns: Range<Int>?, side: Side = .trailing,
    on canvas: inout Canvas
  ) {
    guard let columns else { return }
    let arrow = sort.key == key ? canvas.look.glyphs.arrow(of: sort) : ""
    let named = name.isEmpty || arrow.isEmpty ? name + arrow : name + " " + arrow
    canvas.claim(row: row, columns: columns, for: .column(key))
    switch side {
    case .leading:
      canvas.write(named, row: row, column: columns.lowerBound, width: columns.count, .columnHeader)
    case .trailing:
      let text = arrow.isEmpty ? name : arrow + name
      let start = columns.lowerBound - 1
      canvas.writeRight(text, row: row, column: start, width: columns.count + 1, .columnHeader)
    case .trailingInside:
      canvas.writeRight(
        named, row: row, column: columns.lowerBound, width: columns.count, .columnHeader)
    }
  }
}

extension GlyphSet {
  /// Down means that the largest comes first.
  package func arrow(of sort: RowSort) -> String { sort.isDescending ? arrowDown : arrowUp }
}
