import KettleModel

extension Dashboard {
  /// Draws the complete screen, in exactly `size` cells.
  package func frame(at now: Moment, look: Look) -> Frame { drawn(at: now, look: look).frame }

  func drawn(at now: Moment, look: Look) -> Canvas {
    var canvas = Canvas(size: size, look: themed(look))
    guard size.holds(ListLayout.minimum) else {
      drawTooSmall(on: &canvas)
      return canvas
    }
    let context = context(at: now)
    guard let top = screens.last?.content else {
      list.draw(on: &canvas, context)
      drawLinesBelow(on: &canvas, context)
      return canvas
    }
    switch top.extent {
    case .full: break
    case .box, .form:
      drawBelowBox(on: &canvas, at: now)
      drawLinesBelow(on: &canvas, context)
    }
    top.draw(on: &canvas, context)
    if top.extent == .full { drawLastLine(on: &canvas, context) }
    return canvas
  }

  /// Draws the screen that a box is above: the topmost one that takes the whole terminal.
  private func drawBelowBox(on canvas: inout Canvas, at now: Moment) {
    let context = context(at: now, isOnTop: false)
    guard let screen = screens.last(where: { $0.content.extent == .full })?.content else {
      return list.draw(on: &canvas, context)
    }
    screen.draw(on: &canvas, context)
    for row in list.layout(context).messageRow..<size.rows {
      canvas.fill(row: row, column: 0, width: size.columns, .plain)
    }
  }

  /// Draws the message line and the keys below the list.
  private func drawLinesBelow(on canvas: inout Canvas, _ context: ScreenContext) {
    let layout = list.layout(context)
    drawMessage(on: &canvas, layout, context)
    Footer(footerItems(context)).draw(on: &canvas, row: layout.footerTop)
  }

  /// Draws the keys, or a message in their place.
  private func drawLastLine(on canvas: inout Canvas, _ context: ScreenContext) {
    if let notice {
      canvas.write(
        notice.text, row: size.rows - 1, column: 1, width: size.columns - 2, notice.kind.role)
    } else {
      Footer(footerItems(context)).draw(on: &canvas, row: size.rows - 1)
    }
  }

  /// Draws the notice, or else what the list says itself, and the position in the list.
  private func drawMessage(
    on canvas: inout Canvas, _ layout: ListLayout, _ context: ScreenContext
  ) {
    let row = layout.messageRow
    let column = layout.innerColumns.lowerBound + 1
    let width = layout.innerColumns.count - 2
    var used = 0
    if let message = message(context) {
      used = 2 + canvas.write(message.text, row: row, column: column, width: width, message.role)
    }
    if let command = shownCommand, used + command.count <= width {
      used +=
        2 + canvas.write(command, row: row, column: column + used, width: width - used, .quiet)
    }
    // The border of the box shows the position.
    guard !layout.isBoxed else { return }
    let position = list.positionText
    // A long message is more important than the position.
    guard used + position.count <= width else { return }
    canvas.writeRight(position, row: row, column: 1, width: width, .quiet)
  }

  /// The command for what the last key did, and the key that copies it.
  private var shownCommand: String? {
    guard let shell, keyContext == .list else { return nil }
    return keymap.key(of: "copy-url").map { Strings.copies(shell.text, with: $0.name) }
      ?? shell.text
  }

  private func message(_ context: ScreenContext) -> (text: String, role: Role)? {
    guard screens.last?.content.extent != .form else { return nil }
    if let notice { return (notice.text, notice.kind.role) }
    if showsNews, let news {
      let time = context.time(news.since)
      return (context.fitting(Strings.news(news, since: time)), .heading)
    }
    guard screens.isEmpty, shownCommand == nil else { return nil }
    if settings.showsTour, list.query == nil {
      let text = Tour.text(
        service.totals, afterMilliseconds: tourMilliseconds(at: context.now))
      return (keymap.filled(text), .key)
    }
    if let run = service.endedRun { return (Strings.allDone(run), .good) }
    return list.message(context)
  }

  /// Whether the message line shows what happened before the dashboard was opened.
  var showsNews: Bool {
    notice == nil && shell == nil && screens.isEmpty && size.holds(ListLayout.minimum)
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
}
