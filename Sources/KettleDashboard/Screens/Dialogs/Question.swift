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
  /// Everything on the list, or what matches the filter.
  case stop(TransferSelection, count: Int)

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
    case .reset: [.service(.reset)]
    case .remove(let row): [.service(.remove(.ids([row.id]), withFile: false))]
    case .removeWithFile(let row): [.service(.remove(.ids([row.id]), withFile: true))]
    case .emptyBin: [.service(.bin(.empty))]
    case .stop(let selection, _): [.service(.control(.stop, selection))]
    case .removeMarked(let selection, _, let withFiles):
      [.list(.clearMarks), .service(.remove(selection, withFile: withFiles))]
    }
  }

  /// Whether its text contains a name from outside.
  private var hasNames: Bool {
    switch self {
    case .remove, .removeWithFile: true
    case .reset, .removeMarked, .emptyBin, .stop: false
    }
  }

  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let size = canvas.size
    let width = min(64, size.columns - 4)
    // A name from outside may contain braces.
    let texts = Strings.question(self)
    let paragraphs = hasNames ? texts : texts.map(context.keymap.filled)
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

/// The dialogs with one line, and the questions.
extension Strings {
  static func title(of purpose: EntryDialog.Purpose) -> String {
    switch purpose {
    case .freshLink: "New link"
    case .speedLimit: "Speed limit"
    }
  }

  static func hint(on dialog: EntryDialog) -> String {
    switch dialog.purpose {
    case .freshLink: "New link for " + name(dialog.scope)
    case .speedLimit: "Speed limit for " + name(dialog.scope)
    }
  }

  private static func name(_ scope: EntryDialog.Scope) -> String {
    switch scope {
    case .row(let row): "\"" + row.shownTitle.sanitizedForDisplay(limit: 60) + "\""
    case .marked(_, let count, _):
      count == 1 ? "the marked transfer" : "each of the \(CountText.text(count)) marked transfers"
    case .everything: "everything"
    }
  }

  /// All choices; the present one is in brackets.
  static func scopes(_ dialog: EntryDialog) -> String {
    let names = dialog.scopes.map { scope in
      let word = word(for: scope)
      return scope == dialog.scope ? "[\(word)]" : word
    }
    return "Tab: " + names.joined(separator: " | ")
  }

  private static func word(for scope: EntryDialog.Scope) -> String {
    switch scope {
    case .row: "this file"
    case .marked: "marked"
    case .everything: "all"
    }
  }

  static let footerOpenPage = "open the page"
  static let invalidRate = "Write 500K or 1.5M; empty for no limit"

  /// The meaning of the line, or what is wrong with it.
  ///
  /// - Parameter isHere: Whether the service is on this machine, as the browser is.
  static func verdict(on dialog: EntryDialog, isHere: Bool = true) -> String {
    switch dialog.reading {
    case .missing where dialog.page != nil:
      isHere
        ? "Enter opens its page: the same file, downloaded there again, continues here. Or paste "
          + "the link"
        : "Enter opens its page. Paste the link from there"
    case .missing: "Paste the link; Esc cancels"
    case .link(let link):
      link.login == nil ? "Enter uses it" : "Enter uses it and its login"
    case .linkProblem(let problem): problem.sentence(dialog.line.text)
    case .limit(nil): "Enter removes the limit; 500K or 1.5 MiB/s sets one"
    case .limit(let rate?): "Enter sets it to " + ByteText.limit(rate)
    case .invalidRate: invalidRate
    }
  }

  static let yes = "y yes"
  static let no = "n no (Enter, Esc)"

  static func questionTitle(_ question: Question) -> String {
    switch question {
    case .reset: "Reset"
    case .emptyBin: "Empty the bin"
    case .stop: "Stop"
    case .remove, .removeMarked(_, _, withFiles: false): "Remove"
    case .removeWithFile, .removeMarked(_, _, withFiles: true): "Remove with file"
    }
  }

  static func question(_ question: Question) -> [String] {
    switch question {
    case .reset(let finishedCount, let unfinishedCount):
      [
        resetQuestion(finishedCount, of: finishedCount + unfinishedCount),
        "Files modified by other programs are kept and listed. For ten minutes {undo} brings "
          + "everything back.",
      ]
    case .stop(_, let count):
      [
        "Stop \(downloads(count))?",
        "For ten minutes {start} continues from their bytes, and {undo} brings everything back.",
      ]
    case .emptyBin(let byteCount):
      [
        "Delete \(ByteText.size(byteCount)) in the bin?",
        "This cannot be undone. Otherwise the bytes are deleted after ten minutes.",
      ]
    case .remove(let row):
      [
        "Remove \"\(row.shownTitle.sanitizedForDisplay(limit: 80))\" from the list?",
        row.state == .completed
          ? "Its file is kept."
          : row.kept == nil
            ? "What was downloaded so far (\(ByteText.size(row.bytesReceived))) goes to the bin."
            : "What was downloaded so far is in the bin already.",
      ]
    case .removeWithFile(let row):
      [
        "Remove \"\(row.shownTitle.sanitizedForDisplay(limit: 80))\" and its file?",
        row.path ?? "",
        "The file goes to the bin. If another program modified it, it is kept.",
      ].filter { !$0.isEmpty }
    case .removeMarked(let selection, let count, withFiles: false):
      [
        "Remove \(marked(selection, count)) from the list?",
        "Finished files are kept. Unfinished downloads go to the bin.",
      ]
    case .removeMarked(let selection, let count, withFiles: true):
      [
        "Remove \(marked(selection, count)) and their files?",
        "Their files go to the bin. Files modified by other programs are kept.",
      ]
    }
  }

  private static func resetQuestion(_ finishedCount: Int, of count: Int) -> String {
    let over = count == 1 ? "start it over?" : "start all \(CountText.text(count)) over?"
    switch finishedCount {
    case 0: return "S" + over.dropFirst()
    case 1: return "Move 1 finished file to the bin and " + over
    default: return "Move \(CountText.text(finishedCount)) finished files to the bin and " + over
    }
  }

  private static func marked(_ selection: TransferSelection, _ count: Int) -> String {
    switch selection {
    case .ids: transfers(count)
    case .matching(_, let except):
      except.isEmpty
        ? "all transfers that match the filter (\(CountText.text(count)) now)"
        : "all matches except the unmarked ones (at most \(CountText.text(count)) now)"
    case .all: "all transfers"
    }
  }
}
