import KettleModel

/// A row of the list: progress and numbers while the transfer runs, otherwise words.
struct TransferRow {
  let row: TransferSnapshot
  let columns: TableColumns
  let rates: RowRates

  func draw(on canvas: inout Canvas, screenRow: Int, _ context: ScreenContext) {
    let pen = RowPen(row: screenRow, isLive: context.isConnected, columns: columns)
    pen.write(
      canvas.look.glyphs.symbol(of: row),
      in: TableColumns.symbolColumn..<(TableColumns.symbolColumn + 1), row.stateRole, on: &canvas)
    if let sign = canvas.look.glyphs.prioritySign(of: row) {
      let beside = TableColumns.symbolColumn + 1
      pen.write(sign, in: beside..<(beside + 1), .key, on: &canvas)
    }
    drawName(on: &canvas, pen, context)
    drawHost(on: &canvas, pen)
    for column in TableColumn.allCases {
      guard let range = columns[column], let text = column.text(of: row, context) else { continue }
      if column.traits.isLeading {
        pen.write(text, in: range, .quiet, on: &canvas)
      } else {
        pen.writeRight(text, in: range, .quiet, on: &canvas)
      }
    }
    let left = row.timeLeft(now: context.now.wall) ?? ""
    pen.writeRight(left, in: columns[.ready], .plain, on: &canvas)
    switch RowStatus(row, clock: context.clock, now: context.now.wall) {
    case .moving(let speeds, let connections):
      drawBar(on: &canvas, pen, context)
      drawSpeed(speeds, on: &canvas, pen)
      pen.writeRight(connections, in: columns[.connections], .quiet, on: &canvas)
    case .still(let word):
      drawBar(on: &canvas, pen, context)
      pen.writeRight(word, in: columns[.speed], row.stateRole, on: &canvas)
    case .words(let forms): drawWords(forms, hasTime: !left.isEmpty, on: &canvas, pen)
    case .done(let time, let proof, let problem):
      drawDone(time, proof: proof, problem: problem, on: &canvas, pen)
    }
  }

  /// Draws the title, and the subtitle where there is room for it.
  private func drawName(on canvas: inout Canvas, _ pen: RowPen, _ context: ScreenContext) {
    let range = columns.file
    let isNew = context.settings.hasMotion && rates.flashes(row.id, at: context.now.monotonic)
    let role: Role = isNew ? .good : pen.isLive && row.state != .completed ? .plain : .quiet
    canvas.write(
      row.shownTitle, row: pen.row, column: range.lowerBound, width: range.count, role,
      cut: .middle)
    guard let subtitle = row.shownSubtitle else { return }
    let title = ShownText(
      row.shownTitle, charset: canvas.look.charset, columnsMax: range.count, cut: .middle)
    let start = title.columns + TableColumns.subtitleGap
    guard range.count - start >= TableColumns.subtitleWidthMin else { return }
    canvas.write(
      subtitle, row: pen.row, column: range.lowerBound + start, width: range.count - start,
      .quiet)
  }

  /// Draws the host after a tick in its color.
  private func drawHost(on canvas: inout Canvas, _ pen: RowPen) {
    guard let range = columns[.host], range.count > 2 else { return }
    let host = String(row.host)
    if let number = rates.hostNumber(host), row.state != .completed {
      canvas.plot(
        canvas.look.glyphs.tick, row: pen.row, column: range.lowerBound,
        canvas.look.host(number))
    }
    canvas.write(
      host, row: pen.row, column: range.lowerBound + 2, width: range.count - 2, .quiet,
      cut: .middle)
  }

  private func drawBar(on canvas: inout Canvas, _ pen: RowPen, _ context: ScreenContext) {
    pen.writeRight(row.percentText ?? "", in: columns[.percent], .plain, on: &canvas)
    pen.writeSize(of: row, on: &canvas)
    guard let range = columns[.bar] else { return }
    LineBar(row, context)
      .draw(on: &canvas, row: pen.row, column: range.lowerBound, width: range.count)
  }

  /// Draws the speed in the color of its heat. A limit beside it takes the place of the recent
  /// speeds.
  private func drawSpeed(_ forms: [String], on canvas: inout Canvas, _ pen: RowPen) {
    guard let range = columns.speed, let whole = columns[.speed] else { return }
    let share = rates.share(of: row.bytesPerSecond)
    let text = pen.fitting(forms, whole)
    let width = min(pen.width(of: text), whole.count)
    let start = whole.upperBound - width
    canvas.write(text, row: pen.row, column: start, width: width, pen.isLive ? .plain : .quiet)
    guard pen.isLive else { return }
    let look = canvas.look
    canvas.restyle(row: pen.row, columns: start..<whole.upperBound) { $0 = look.heat(share) }
    guard width <= range.count else { return }
    Sparkline(samples: rates.samples(of: row.id), top: rates.top)
      .draw(on: &canvas, row: pen.row, columns: columns.trend)
  }

  /// Draws the longest form that fits; what keeps a transfer from moving is more important than its
  /// size.
  private func drawWords(
    _ forms: [String], hasTime: Bool, on canvas: inout Canvas, _ pen: RowPen
  ) {
    var end = columns.words.upperBound
    if hasTime, let time = columns[.ready] { end = time.lowerBound - 1 }
    let beforeSize = pen.endBeforeSize(of: row) ?? end
    let words = columns.words.lowerBound..<max(columns.words.lowerBound, end)
    let short = words.clamped(to: 0..<beforeSize)
    let hasSize = columns[.size] != nil && !row.sizeText.isEmpty
    let brief = forms.last.map { pen.width(of: $0) } ?? 0
    if hasSize, brief <= short.count {
      pen.writeSize(of: row, on: &canvas)
      pen.write(pen.fitting(forms, short), in: short, row.stateRole, on: &canvas)
    } else {
      pen.write(pen.fitting(forms, words), in: words, row.stateRole, on: &canvas)
    }
  }

  private func drawDone(
    _ time: String, proof: String?, problem: String?, on canvas: inout Canvas, _ pen: RowPen
  ) {
    pen.writeSize(of: row, .quiet, on: &canvas)
    if let average = row.averageBytesPerSecond {
      pen.writeRight(ByteText.speed(average), in: columns.speed, .quiet, on: &canvas)
    }
    let end = pen.endBeforeSize(of: row) ?? columns.words.upperBound
    var next = columns.words.lowerBound
    let isProved = row.verifiedBy != nil || row.check?.finding == .intact
    let parts: [(text: String?, role: Role)] = [
      (time, .quiet), (problem, .attention),
      (proof.map { isProved ? $0 + " " + canvas.look.glyphs.good : $0 }, isProved ? .good : .quiet),
    ]
    for part in parts {
      guard let text = part.text, next + pen.width(of: text) <= end else { continue }
      pen.write(text, in: next..<end, part.role, on: &canvas)
      next += pen.width(of: text) + 2
    }
  }
}

/// Writes into the columns of one row. While the service is disconnected, the rows show the last
/// known state, and all is quiet.
private struct RowPen {
  let row: Int
  let isLive: Bool
  let columns: TableColumns

  func write(_ text: String, in range: Range<Int>?, _ role: Role, on canvas: inout Canvas) {
    guard let range else { return }
    canvas.write(
      text, row: row, column: range.lowerBound, width: range.count, isLive ? role : .quiet)
  }

  func writeRight(_ text: String, in range: Range<Int>?, _ role: Role, on canvas: inout Canvas) {
    guard let range, !text.isEmpty else { return }
    canvas.writeRight(
      text, row: row, column: range.lowerBound, width: range.count, isLive ? role : .quiet)
  }

  /// Writes how much of how much has arrived, or only how much it is.
  func writeSize(
    of snapshot: TransferSnapshot, _ role: Role = .plain, on canvas: inout Canvas
  ) {
    guard let range = columns[.size] else { return }
    writeRight(sizeText(of: snapshot, range), in: range, role, on: &canvas)
  }

  private func sizeText(of snapshot: TransferSnapshot, _ range: Range<Int>) -> String {
    let whole = snapshot.bytesExpected.map(ByteText.size)
    return fitting([snapshot.sizeText, whole].compactMap(\.self), range)
  }

  /// Where a text before the size must end; nil without a column for the size.
  func endBeforeSize(of snapshot: TransferSnapshot) -> Int? {
    columns[.size].map { $0.upperBound - width(of: sizeText(of: snapshot, $0)) - 2 }
  }

  func fitting(_ forms: [String], _ range: Range<Int>) -> String {
    forms.first { width(of: $0) <= range.count } ?? forms.last ?? ""
  }

  func width(of text: String) -> Int {
    ShownText(text, charset: .utf8, columnsMax: 500).columns
  }
}

extension GlyphSet {
  /// Marks an unfinished transfer whose priority was raised or lowered.
  fileprivate func prioritySign(of row: TransferSnapshot) -> String? {
    if row.state == .completed || row.priority == .normal { return nil }
    return row.priority > .normal ? arrowUp : arrowDown
  }
}
