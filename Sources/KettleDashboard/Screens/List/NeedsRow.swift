import KettleModel

/// A row of a transfer that waits for the user: why, and the key that answers.
struct NeedsRow {
  let row: TransferSnapshot
  let columns: TableColumns

  func draw(on canvas: inout Canvas, screenRow: Int, _ context: ScreenContext) {
    let (file, isLive) = (columns.file, context.isConnected)
    canvas.write(
      canvas.look.glyphs.flag, row: screenRow, column: TableColumns.symbolColumn, width: 1,
      isLive ? .attentionTitle : .quiet)
    canvas.write(
      row.shownTitle, row: screenRow, column: file.lowerBound, width: file.count,
      isLive ? .heading : .quiet, cut: .middle)
    let start = file.upperBound + 2
    let end = drawKeys(on: &canvas, screenRow: screenRow, from: start, context)
    let room = max(0, end - start)
    let forms = Strings.need(of: row)
    let text = forms.first { $0.count <= room } ?? forms.last ?? ""
    canvas.write(
      text, row: screenRow, column: start, width: room, isLive ? .attention : .quiet)
  }

  /// Draws as many keys as there is room for beside the reason. Returns the end of that room.
  private func drawKeys(
    on canvas: inout Canvas, screenRow: Int, from start: Int, _ context: ScreenContext
  ) -> Int {
    let end = canvas.size.columns - 2
    var keys = keys(context)
    let reason = Strings.need(of: row).last?.count ?? 0
    while !keys.isEmpty, end - Self.width(of: keys) - 2 - start < reason { keys.removeLast() }
    var column = end - Self.width(of: keys)
    let left = column
    for key in keys {
      column += canvas.write(
        key.name, row: screenRow, column: column, width: end - column,
        context.isConnected ? .attentionTitle : .quiet)
      column +=
        1
        + canvas.write(
          key.label, row: screenRow, column: column + 1, width: end - column)
      column += Self.gap
    }
    return keys.isEmpty ? end : left - 2
  }

  private struct AnswerKey {
    var name: String
    var label: String
  }

  private static let gap = 2

  private static func width(of keys: [AnswerKey]) -> Int {
    keys.reduce(0) { $0 + $1.name.count + 1 + $1.label.count } + gap * max(0, keys.count - 1)
  }

  private func keys(_ context: ScreenContext) -> [AnswerKey] {
    var labels: [(action: String, label: String)] = []
    if let need = row.need { labels.append(("new-link", Strings.footerAnswer(need))) }
    labels.append(("start", Strings.footerRetry))
    return labels.compactMap { action, label in
      context.keymap.key(of: action).map { AnswerKey(name: $0.name, label: label) }
    }
  }
}
