import TransferModel

/// Details, help and reports: a title, a scrolled text, the keys.
extension DashboardModel {
  func readerLines(width: Int, now: Moment) -> [ReaderLine] {
    switch screens.last {
    case .details(let open): detailsLines(open, width: width, now: now)
    case .help: helpLines(width: width)
    case .resetReport(let report): reportLines(report, width: width)
    case .add, .entry, .question, .query, .sortMenu, nil: []
    }
  }

  private var readerTitle: String {
    switch screens.last {
    case .details: Strings.detailsTitle
    case .help: Strings.helpTitle
    case .resetReport: Strings.reportTitle
    case .add, .entry, .question, .query, .sortMenu, nil: ""
    }
  }

  func drawReader(on canvas: inout Canvas, at now: Moment) {
    let layout = ReaderLayout(size: size)
    let lines = readerLines(width: layout.textWidth, now: now)
    let first = min(scroll, max(0, lines.count - layout.bodyHeight))
    drawReaderTitle(on: &canvas, first: first, count: lines.count)
    for (offset, line) in lines.dropFirst(first).prefix(layout.bodyHeight).enumerated() {
      draw(line, on: &canvas, row: 1 + offset, column: 1)
    }
    if notice == nil {
      drawFooter(on: &canvas, row: size.rows - 1, height: 1)
    } else {
      drawMessage(on: &canvas, row: size.rows - 1, at: now)
    }
  }

  private func drawReaderTitle(on canvas: inout Canvas, first: Int, count: Int) {
    let isLost = if case .lost = link { true } else { false }
    let role: Role = isLost ? .barProblem : .bar
    canvas.fill(row: 0, column: 0, width: size.columns, role)
    let used = canvas.put(
      Strings.product + "   " + readerTitle, row: 0, column: 1, width: size.columns - 1, role)
    let height = ReaderLayout(size: size).bodyHeight
    guard count > height else { return }
    let place = Strings.linesShown(first + 1, min(first + height, count), of: count)
    canvas.putRight(place, row: 0, column: used + 2, width: size.columns - used - 3, role)
  }

  private func draw(_ line: ReaderLine, on canvas: inout Canvas, row: Int, column: Int) {
    let width = ReaderLayout(size: size).textWidth - (column - 1)
    switch line {
    case .blank: break
    case .heading(let text): canvas.put(text, row: row, column: column, width: width, .heading)
    case .text(let text, let role): canvas.put(text, row: row, column: column, width: width, role)
    case .key(let keys, let text, let action, let layout):
      canvas.put(keys, row: row, column: column, width: layout.keysWidth - 1, .key)
      let start = column + layout.keysWidth
      canvas.put(text, row: row, column: start, width: layout.textWidth)
      canvas.put(
        action, row: row, column: start + layout.textWidth + 1, width: layout.actionWidth, .quiet)
    case .pairOfLines(let left, let right, let place):
      draw(left, on: &canvas, row: row, column: column)
      draw(right, on: &canvas, row: row, column: column + place)
    case .pair(let label, let value, let role):
      let labelWidth = ReaderLayout.labelWidth(textWidth: width)
      canvas.put(label, row: row, column: 1, width: labelWidth - 1, .quiet)
      canvas.put(value, row: row, column: 1 + labelWidth, width: width - labelWidth, role)
    case .bar(let bar): bar.draw(on: &canvas, row: row, column: 1, width: min(width, 100))
    case .held(let held, let total):
      let text = HeldMap.text(held, total: total, width: min(width, 100), canvas.look.glyphs)
      canvas.put(text, row: row, column: 1, width: width, .progress)
    }
  }
}
