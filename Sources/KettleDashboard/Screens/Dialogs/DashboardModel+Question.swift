import KettleModel

/// A question before an action that cannot be undone.
extension DashboardModel {
  func draw(_ question: Question, on canvas: inout Canvas) {
    let width = min(64, size.columns - 4)
    let paragraphs = Strings.question(question)
    var lines: [(String, Role)] = []
    for (index, paragraph) in paragraphs.enumerated() {
      let role: Role = index == 0 ? .dialogTitle : .dialog
      lines += Fold.lines(paragraph, width: width).map { ($0, role) }
    }
    // The answer must be visible even if there is little room for the question.
    let room = max(1, size.rows - 3)
    lines = Array(lines.prefix(max(0, room - 1)))
    let box = DialogBox(size: size, width: width, height: lines.count + 1)
    box.draw(title: Strings.questionTitle(question), on: &canvas)
    for (index, line) in lines.enumerated() {
      box.write(line.0, line: index, on: &canvas, line.1)
    }
    drawAnswers(in: box, line: lines.count, on: &canvas)
  }

  private func drawAnswers(in box: DialogBox, line: Int, on canvas: inout Canvas) {
    var column = box.column
    for (text, command) in [(Strings.yes, DashboardCommand.confirm), (Strings.no, .cancel)] {
      let used = canvas.write(
        text, row: box.row + line, column: column, width: box.column + box.width - column,
        .dialogKey)
      canvas.claim(row: box.row + line, columns: column..<(column + used), for: .command(command))
      column += used + 3
    }
  }
}
