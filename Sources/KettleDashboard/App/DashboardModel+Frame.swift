import KettleModel

extension DashboardModel {
  /// Draws the complete screen, in exactly `size` cells.
  package func frame(at now: Moment, look: Look) -> Frame { drawn(at: now, look: look).frame }

  func drawn(at now: Moment, look: Look) -> Canvas {
    var canvas = Canvas(size: size, look: look)
    guard size.holds(ListLayout.minimum) else {
      drawTooSmall(on: &canvas)
      return canvas
    }
    switch screens.last {
    case .details, .help, .resetReport: drawReader(on: &canvas, at: now)
    case .add(let dialog):
      drawList(on: &canvas, at: now)
      draw(dialog, on: &canvas, at: now)
    case .entry(let dialog):
      drawList(on: &canvas, at: now)
      draw(dialog, on: &canvas)
    case .question(let question):
      drawList(on: &canvas, at: now)
      draw(question, on: &canvas)
    case .sortMenu(let menu):
      drawList(on: &canvas, at: now)
      draw(menu, on: &canvas)
    case .query, nil: drawList(on: &canvas, at: now)
    }
    return canvas
  }

  /// Shows the required size, in the longest form that fits.
  private func drawTooSmall(on canvas: inout Canvas) {
    let needed = ListLayout.minimum
    let forms = Strings.tooSmall(columns: needed.columns, rows: needed.rows)
    let fitting = forms.first { lines in
      lines.count <= size.rows && lines.allSatisfy { $0.count <= size.columns }
    }
    let lines = fitting ?? ["!"]
    let top = (size.rows - lines.count) / 2
    for (offset, line) in lines.enumerated() { canvas.writeCentered(line, row: top + offset) }
  }

  private func drawList(on canvas: inout Canvas, at now: Moment) {
    drawTitleBar(on: &canvas, at: now)
    if layout.hasBatchLine { drawBatchLine(on: &canvas) }
    drawTable(on: &canvas, at: now)
    if layout.hasViewLine { drawViewLine(on: &canvas) }
    if !hasOwnVerdict { drawMessage(on: &canvas, row: layout.messageRow, at: now) }
    drawFooter(on: &canvas, row: layout.footerTop, height: layout.footerHeight)
  }

  /// Whether the dialog on top shows messages itself.
  private var hasOwnVerdict: Bool {
    switch screens.last {
    case .add, .entry: true
    case .details, .help, .question, .resetReport, .query, .sortMenu, nil: false
    }
  }

  /// Draws the notice, else the query field's message, else a remark about the current row.
  func drawMessage(on canvas: inout Canvas, row: Int, at now: Moment) {
    let width = size.columns - 2
    if let notice {
      canvas.write(notice.text, row: row, column: 1, width: width, notice.kind.role)
    } else if case .query(let field) = screens.last {
      let verdict = verdict(on: field)
      canvas.write(verdict.text, row: row, column: 1, width: width, verdict.role)
    } else if screens.isEmpty, let remark = cursorRow?.remark(keymap) ?? matchRemark {
      canvas.write(remark, row: layout.messageRow, column: 1, width: width, .quiet)
    }
  }
}

extension Notice.Kind {
  var role: Role {
    switch self {
    case .plain: .heading
    case .problem: .problem
    }
  }
}

extension TransferSnapshot {
  /// The full sentence about a transfer whose row has room for only a few words.
  func remark(_ keymap: Keymap) -> String? {
    switch state {
    case .failed, .waiting: problemSentence ?? reason.map { keymap.filled(Strings.remark($0)) }
    case .running, .queued, .paused, .verifying:
      freshStart.map(Strings.freshStart) ?? limitBytesPerSecond.map(Strings.limitedTo)
    case .idle, .scheduled, .completed: nil
    }
  }
}
