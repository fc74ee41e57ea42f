import KettleModel

/// A question before an action that many transfers or files depend on. Every answer except yes is
/// no.
enum Question: Screen {
  /// How many transfers are finished, and how many are not.
  case reset(finishedCount: Int, unfinishedCount: Int)
  case remove(TransferSnapshot)
  case removeWithFile(TransferSnapshot)
  case removeMarked(TransferSelection, count: Int, withFiles: Bool)
  case emptyBin(byteCount: Int64)

  static let bindings: BindingTable<Question> = [
    Binding(
      .yes, when: { _, context in context.whenConnected(.possible) },
      do: { question, _ in [.close] + question.confirmed }),
    Binding(.no) { _, _ in [.close, .say(Strings.nothingChanged)] },
  ]

  var keyContext: KeyContext { .question }
  var extent: ScreenExtent { .box }

  private var confirmed: [ScreenRequest] {
    switch self {
    case .reset: [.effect(.reset)]
    case .remove(let row): [.effect(.remove(.ids([row.id]), withFile: false))]
    case .removeWithFile(let row): [.effect(.remove(.ids([row.id]), withFile: true))]
    case .emptyBin: [.effect(.bin(.empty))]
    case .removeMarked(let selection, _, let withFiles):
      [.list(.clearMarks), .effect(.remove(selection, withFile: withFiles))]
    }
  }

  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let size = canvas.size
    let width = min(64, size.columns - 4)
    let paragraphs = Strings.question(self)
    var lines: [(String, Role)] = []
    for (index, paragraph) in paragraphs.enumerated() {
      let role: Role = index == 0 ? .dialogTitle : .dialog
      lines += Fold.lines(paragraph, width: width).map { ($0, role) }
    }
    // The answer must be visible even if there is little room for the question.
    let room = DialogBox.heightMax(size)
    lines = Array(lines.prefix(max(0, room - 1)))
    let box = DialogBox(size: size, width: width, height: lines.count + 1)
    box.draw(title: Strings.questionTitle(self), on: &canvas)
    for (index, line) in lines.enumerated() {
      box.write(line.0, line: index, on: &canvas, line.1)
    }
    Self.drawAnswers(in: box, line: lines.count, on: &canvas)
  }

  private static func drawAnswers(in box: DialogBox, line: Int, on canvas: inout Canvas) {
    var column = box.column
    for (text, action) in [(Strings.yes, "yes"), (Strings.no, "no")] {
      let used = canvas.write(
        text, row: box.row + line, column: column, width: box.column + box.width - column,
        .dialogKey)
      canvas.claim(row: box.row + line, columns: column..<(column + used), for: .action(action))
      column += used + 3
    }
  }
}
