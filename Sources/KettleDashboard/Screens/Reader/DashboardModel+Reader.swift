import KettleModel

/// Details, help and reports: a title, scrolling text, and the keys.
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
    case .details(let open):
      if case .shown(let details) = open.content {
        Strings.detailsTitle(of: details.snapshot.shownTitle)
      } else {
        Strings.detailsTitle
      }
    case .help: Strings.helpTitle
    case .resetReport: Strings.reportTitle
    case .add, .entry, .question, .query, .sortMenu, nil: ""
    }
  }

  func drawReader(on canvas: inout Canvas, at now: Moment) {
    let layout = readerLayout
    let lines = readerLines(width: layout.textWidth, now: now)
    let first = min(scroll, max(0, lines.count - layout.bodyHeight))
    drawReaderTitle(on: &canvas, first: first, count: lines.count)
    if case .details(let open) = screens.last { drawTabs(open.section, on: &canvas) }
    for (offset, line) in lines.dropFirst(first).prefix(layout.bodyHeight).enumerated() {
      draw(line, on: &canvas, row: layout.bodyTop + offset, column: 1)
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
    let height = readerLayout.bodyHeight
    let position =
      count > height ? Strings.linesShown(first + 1, min(first + height, count), of: count) : ""
    // On a narrow screen the name is cut; the position in the text is not.
    let room = size.columns - 2 - (position.isEmpty ? 0 : position.count + 2)
    let title = Strings.product + "   " + readerTitle
    let used = canvas.write(title, row: 0, column: 1, width: max(room, 16), role)
    canvas.writeRight(position, row: 0, column: used + 2, width: size.columns - used - 3, role)
  }

  /// The current section is in brackets; where not all names fit, the others are numbers.
  private func drawTabs(_ current: DetailsSection, on canvas: inout Canvas) {
    let width = size.columns - 2
    let sections = DetailsSection.allCases
    let names = sections.map { "\($0.number) " + Strings.title(of: $0) }
    let isWide = names.reduce(0) { $0 + $1.count + 3 } <= width
    var column = 1
    for (section, name) in zip(sections, names) {
      let isCurrent = section == current
      let text = isCurrent ? "[" + name + "]" : isWide ? " " + name + " " : " \(section.number) "
      let used = canvas.write(
        text, row: 1, column: column, width: max(0, size.columns - column),
        isCurrent ? .key : .quiet)
      canvas.claim(
        row: 1, columns: column..<(column + used), for: .command(.details(.section(section))))
      column += used + (isWide ? 1 : 0)
    }
  }

  private func draw(_ line: ReaderLine, on canvas: inout Canvas, row: Int, column: Int) {
    let width = ReaderLayout(size: size).textWidth - (column - 1)
    switch line {
    case .blank: break
    case .heading(let text): canvas.write(text, row: row, column: column, width: width, .heading)
    case .text(let text, let role): canvas.write(text, row: row, column: column, width: width, role)
    case .key(let keys, let text, let action, let layout):
      canvas.write(keys, row: row, column: column, width: layout.keysWidth - 1, .key)
      let start = column + layout.keysWidth
      canvas.write(text, row: row, column: start, width: layout.textWidth)
      canvas.write(
        action, row: row, column: start + layout.textWidth + 1, width: layout.actionWidth, .quiet)
    case .pairOfLines(let left, let right, let offset):
      draw(left, on: &canvas, row: row, column: column)
      draw(right, on: &canvas, row: row, column: column + offset)
    case .pair(let label, let value, let role):
      let labelWidth = ReaderLayout.labelWidth(textWidth: width)
      canvas.write(label, row: row, column: 1, width: labelWidth - 1, .quiet)
      canvas.write(value, row: row, column: 1 + labelWidth, width: width - labelWidth, role)
    case .bar(let bar): bar.draw(on: &canvas, row: row, column: 1, width: min(width, 100))
    case .parts(let map, let index):
      let lines = map.lines(width: min(width, 100), canvas.look)
      guard lines.indices.contains(index) else { return }
      canvas.write(lines[index], row: row, column: 1, width: width, .progress)
    case .partsLegend(let hasConnections):
      let glyphs = canvas.look.glyphs
      var parts = [
        glyphs.receivedCell + " " + Strings.legendReceived,
        PartsMap.requestedCell(canvas.look.charset) + " " + Strings.legendRequested,
        glyphs.missingCell + " " + Strings.legendMissing,
      ]
      if hasConnections { parts.append(Strings.legendConnection) }
      while parts.joined(separator: "  ").count > width, parts.count > 1 { parts.removeLast() }
      canvas.write(parts.joined(separator: "  "), row: row, column: 1, width: width, .quiet)
    case .graph(let graph, let index):
      let lines = graph.lines(width: width, canvas.look)
      guard lines.indices.contains(index) else { return }
      canvas.write(lines[index], row: row, column: 1, width: width, .progress)
    }
  }
}

/// What a reset did not delete.
extension DashboardModel {
  func reportLines(_ report: ResetReport, width: Int) -> [ReaderLine] {
    var text = ReaderText(width: width)
    text.text(Strings.resetDone(deletedCount: report.deletedCount))
    text.heading(Strings.resetKept(report.keptPaths.count))
    for path in report.keptPaths.prefix(1000) { text.text(path) }
    if report.keptPaths.count > 1000 { text.text(Strings.more(report.keptPaths.count - 1000)) }
    return text.lines
  }
}
