import KettleModel

/// Draws the form that adds transfers: the URLs above, the settings for all of them below.
struct AddView {
  private let screen: AddScreen
  private let form: AddForm
  private let layout: AddLayout
  private let formContext: AddFormContext
  private let notice: Notice?
  /// The name of the key that shows the settings.
  private let optionsKey: String?

  init(screen: AddScreen, context: ScreenContext) {
    self.screen = screen
    form = screen.form
    layout = AddLayout(form, size: context.size)
    formContext = AddFormContext(context)
    notice = context.notice
    optionsKey = context.keymap.key(of: "next-field")?.name
  }

  func draw(on canvas: inout Canvas) {
    let box = layout.box
    box.draw(title: Strings.addTitle, on: &canvas)
    for (line, row) in layout.shownRows.enumerated() {
      switch row {
      case .url(let index): drawURL(at: index, line: line, on: &canvas)
      case .setting(let field): drawSetting(field, line: line, on: &canvas)
      case .options(let hidden):
        box.write(Strings.optionsLabel, line: line, on: &canvas, .dialogQuiet)
        canvas.write(
          Strings.options(hidden, key: optionsKey), row: box.row + line,
          column: box.column + AddLayout.labelWidth + 2,
          width: box.width - AddLayout.labelWidth - 2, .dialogQuiet)
      }
    }
    for (offset, verdict) in verdicts.enumerated() {
      box.write(verdict.text, line: layout.rowRoom + offset, on: &canvas, verdict.role)
    }
  }

  private func drawURL(at index: Int, line position: Int, on canvas: inout Canvas) {
    let box = layout.box
    let line = form.urls.lines[index]
    let isCurrent = form.focus == .urls && index == form.urls.row
    if index == layout.firstURL {
      let role: Role = form.focus == .urls ? .dialogKey : .dialogQuiet
      box.write(Strings.label(.urls), line: position, on: &canvas, role)
    }
    let (row, glyphs) = (box.row + position, canvas.look.glyphs)
    let signColumn = box.column + AddLayout.labelWidth
    switch line.reading {
    case .blank, .comment: break
    case .url, .command, .collection:
      canvas.write(glyphs.good, row: row, column: signColumn, width: 1, .dialogGood)
    case .problem: canvas.write(glyphs.bad, row: row, column: signColumn, width: 1, .dialogProblem)
    }
    var width = box.width - AddLayout.labelWidth - 2
    if !isCurrent, let remark = remark(on: line) {
      let room = min(remark.count + 1, width / 2)
      width -= room
      canvas.write(
        remark, row: row, column: signColumn + 2 + width + 1, width: room - 1, .dialogProblem)
    }
    let field = FieldView(
      characters: isCurrent ? line.characters : line.readableCharacters, secrets: line.secrets,
      cursor: isCurrent ? form.urls.column : nil,
      placeholder: form.urls.lines.count == 1 ? Strings.placeholder(.urls) : "")
    field.draw(row: row, column: signColumn + 2, width: width, on: &canvas)
  }

  private func remark(on line: URLLines.Line) -> String? {
    if case .problem(let problem) = line.reading { return Strings.brief(problem) }
    guard let url = line.reading.urlText else { return nil }
    if let found = screen.duplicates.found[url] { return Strings.inList(found) }
    return form.urls.count(of: url) > 1 ? Strings.repeated : nil
  }

  private func drawSetting(_ field: AddField, line position: Int, on canvas: inout Canvas) {
    let box = layout.box
    let isCurrent = form.focus == field
    box.write(
      Strings.label(field), line: position, on: &canvas, isCurrent ? .dialogKey : .dialogQuiet)
    let (row, signColumn) = (box.row + position, box.column + AddLayout.labelWidth)
    if form.problem(of: field, formContext) != nil {
      canvas.write(canvas.look.glyphs.bad, row: row, column: signColumn, width: 1, .dialogProblem)
    }
    let editor = form.editor(field)
    var characters = editor.characters
    var cursor = isCurrent ? editor.column : nil
    if field == .paused {
      characters = Array(form.isPaused ? Strings.isPaused : Strings.isNotPaused)
      cursor = isCurrent ? 0 : nil
    }
    let view = FieldView(
      characters: characters, secrets: form.secrets(field), cursor: cursor,
      placeholder: Strings.placeholder(field))
    view.draw(
      row: row, column: signColumn + 2, width: box.width - AddLayout.labelWidth - 2, on: &canvas)
  }

  // MARK: - Messages

  private typealias Verdict = (text: String, role: Role)

  /// The current problem, folded, and the summary, in as many lines as there is room for.
  private var verdicts: [Verdict] {
    let summary = Strings.summary(screen)
    guard let problem else {
      return [(summary, form.urls.problemCount > 0 ? .dialogProblem : .dialogGood)]
    }
    var lines = Fold.lines(problem.text, width: layout.box.width).map { ($0, problem.role) }
    if layout.verdictRoom > lines.count, !summary.isEmpty { lines.append((summary, .dialogQuiet)) }
    return Array(lines.prefix(layout.verdictRoom))
  }

  /// What is to be said about the current line or field; nil when there is nothing.
  private var problem: Verdict? {
    if let notice { return (notice.text, .dialogProblem) }
    if form.focus == .urls {
      let line = form.urls.current
      switch line.reading {
      case .problem(let problem):
        return (Strings.sentence(problem, on: line.text), .dialogProblem)
      case .url, .command, .collection, .blank, .comment:
        if let remark = remark(on: line) { return (remark, .dialogProblem) }
        if case .command(let command) = line.reading {
          return (Strings.command(command), .dialogGood)
        }
        if case .collection(let source, _) = line.reading {
          return (Strings.collection(source), .dialogGood)
        }
        if let completed = line.completedURL { return (completed, .dialogGood) }
      }
    }
    if let problem = form.problem(of: form.focus, formContext) {
      return (Strings.sentence(problem), .dialogProblem)
    }
    if let first = form.firstFieldProblem(formContext) {
      return (Strings.sentence(first.problem), .dialogProblem)
    }
    let isWarning = form.focus == .then && form.textForShell != nil
    return Strings.hint(on: form.focus, of: form).map {
      ($0, isWarning ? .dialogProblem : .dialogQuiet)
    }
  }
}

extension URLLines.Line {
  /// The whole URL, if the line has no scheme.
  fileprivate var completedURL: String? {
    guard case .url(let parsed) = reading, !text.contains("://") else { return nil }
    return parsed.url.text
  }

  /// The line with its percent-escapes decoded, unless it has secrets, whose places would move.
  fileprivate var readableCharacters: [Character] {
    if let completedURL { return Array(completedURL) }
    guard case .url = reading, secrets.isEmpty, characters.contains("%") else { return characters }
    return TransferURL.percentDecoded(text[...]).map(Array.init) ?? characters
  }
}

/// The visible part of the form.
struct AddLayout {
  enum Row: Hashable {
    case url(Int)
    case setting(AddField)
    /// The settings that are folded.
    case options([AddField])
  }

  static let labelWidth = 10

  let box: DialogBox
  /// The number of lines for the messages at the bottom.
  let verdictRoom: Int
  /// The first visible line of URLs.
  let firstURL: Int
  let shownRows: [Row]

  var rowRoom: Int { box.height - verdictRoom }

  init(_ form: AddForm, size: ScreenSize) {
    let most = DialogBox.heightMax(size)
    verdictRoom = most >= 15 ? 3 : most >= 6 ? 2 : 1
    let room = max(1, most - verdictRoom)
    let isInURLs = form.focus == .urls
    let settings = Self.settings(of: form)
    // The settings are visible below the URLs, unless they would leave no room for them.
    let left = room - settings.count
    let urlRoom = left >= 3 || !isInURLs ? max(1, left) : room
    let urlCount = min(form.urls.lines.count, urlRoom)
    let first = min(max(0, form.urls.row - urlCount + 1), form.urls.lines.count - urlCount)
    let rows = (0..<urlCount).map { Row.url(first + $0) } + settings
    let focused = isInURLs ? Row.url(form.urls.row) : Row.setting(form.focus)
    let index = rows.firstIndex(of: focused) ?? 0
    let skipped = min(max(0, index - room + 1), max(0, rows.count - room))
    firstURL = first
    shownRows = Array(rows.dropFirst(skipped).prefix(room))
    box = DialogBox(size: size, width: 100, height: shownRows.count + verdictRoom)
  }

  /// All settings while one of them has the focus; otherwise those that are set, and the names of
  /// the others.
  private static func settings(of form: AddForm) -> [Row] {
    guard form.focus == .urls else { return AddField.settings.map { .setting($0) } }
    let hidden = AddField.settings.filter { !form.isSet($0) }
    return AddField.settings.filter(form.isSet).map { .setting($0) }
      + (hidden.isEmpty ? [] : [.options(hidden)])
  }
}
