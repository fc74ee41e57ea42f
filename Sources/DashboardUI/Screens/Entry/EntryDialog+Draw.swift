import TransferModel

/// The dialog with one line.
extension DashboardModel {
  func draw(_ dialog: EntryDialog, on canvas: inout Canvas) {
    let box = DialogBox(size: size, width: 100, height: 4)
    box.draw(title: Strings.title(of: dialog.purpose), on: &canvas)
    box.put(Strings.hint(on: dialog), line: 0, on: &canvas, .dialogQuiet)
    drawField(dialog.line, in: box, line: 1, on: &canvas)
    let role: Role =
      switch dialog.reading {
      case .link, .limit, .missing: notice == nil ? .dialogGood : .dialogProblem
      case .linkProblem, .noRate: .dialogProblem
      }
    let verdict = notice?.text ?? Strings.verdict(on: dialog)
    for (offset, text) in Fold.lines(verdict, width: box.width).prefix(2).enumerated() {
      box.put(text, line: 2 + offset, on: &canvas, role)
    }
  }

  /// A long line is shown from where the cursor is seen; one column is left for the cursor.
  private func drawField(
    _ line: LineEditor, in box: DialogBox, line place: Int, on canvas: inout Canvas
  ) {
    let row = box.row + place
    let shown = FieldView(line, width: box.width, charset: canvas.look.charset)
    canvas.fill(row: row, column: box.column, width: box.width, .field)
    canvas.put(shown.text, row: row, column: box.column, width: box.width, .field)
    canvas.placeCursor(row: row, column: box.column + shown.cursorColumn)
  }
}
