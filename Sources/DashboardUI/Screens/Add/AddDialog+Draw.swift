import TransferModel

/// The dialog that adds URLs.
extension DashboardModel {
  func draw(_ dialog: AddDialog, on canvas: inout Canvas) {
    let most = max(1, size.rows - 7)
    let lineRoom = min(max(dialog.lines.count, 1), most)
    let box = DialogBox(size: size, width: 100, height: lineRoom + 3)
    box.draw(title: Strings.addTitle, on: &canvas)
    box.put(Strings.addHint, line: 0, on: &canvas, .dialogQuiet)
    let first = min(max(0, dialog.row - lineRoom + 1), dialog.lines.count - lineRoom)
    for offset in 0..<lineRoom {
      let index = first + offset
      draw(
        dialog.lines[index], isCurrent: index == dialog.row, column: dialog.column, in: box,
        line: 1 + offset, on: &canvas)
    }
    let verdict = verdict(on: dialog)
    for (offset, line) in Fold.lines(verdict.text, width: box.width).prefix(2).enumerated() {
      box.put(line, line: 1 + lineRoom + offset, on: &canvas, verdict.role)
    }
  }

  private func draw(
    _ line: AddDialog.Line, isCurrent: Bool, column: Int, in box: DialogBox, line place: Int,
    on canvas: inout Canvas
  ) {
    let glyphs = canvas.look.glyphs
    switch line.reading {
    case .blank: box.put(" ", line: place, on: &canvas)
    case .transfer: box.put(glyphs.good, line: place, on: &canvas, .dialogGood)
    case .problem: box.put(glyphs.bad, line: place, on: &canvas, .dialogProblem)
    }
    let width = max(1, box.width - 2)
    let row = box.row + place
    canvas.fill(row: row, column: box.column + 2, width: width, .field)
    guard isCurrent else {
      canvas.put(line.text, row: row, column: box.column + 2, width: width, .field)
      return
    }
    // A long line is shown from where the cursor is seen; one column is left for the cursor.
    let charset = canvas.look.charset
    var before = line.characters.prefix(column)[...]
    before = before.suffix(width)
    while columnCount(of: String(before), charset) > width - 1 { before = before.dropFirst() }
    let shown = String(before) + String(line.characters.dropFirst(column).prefix(width))
    canvas.put(shown, row: row, column: box.column + 2, width: width, .field)
    canvas.placeCursor(row: row, column: box.column + 2 + columnCount(of: String(before), charset))
  }

  private func columnCount(of text: String, _ charset: Charset) -> Int {
    ShownText(text, charset: charset, columnsMax: 10_000).columns
  }

  private func verdict(on dialog: AddDialog) -> (text: String, role: Role) {
    if let notice { return (notice.text, .dialogProblem) }
    if case .problem(let problem) = dialog.lines[dialog.row].reading {
      return (problem.sentence(dialog.lines[dialog.row].text), .dialogProblem)
    }
    let good = dialog.lines.count { if case .transfer = $0.reading { true } else { false } }
    let bad = dialog.lines.count { if case .problem = $0.reading { true } else { false } }
    return (Strings.addVerdict(good: good, bad: bad), bad > 0 ? .dialogProblem : .dialogGood)
  }
}
