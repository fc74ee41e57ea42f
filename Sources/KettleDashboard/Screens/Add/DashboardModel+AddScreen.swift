import KettleModel

/// The form that adds transfers: the URLs above, the settings for all of them below.
extension DashboardModel {
  func draw(_ dialog: AddDialog, on canvas: inout Canvas, at now: Moment) {
    let layout = AddLayout(dialog, size: size)
    let box = layout.box
    box.draw(title: Strings.addTitle, on: &canvas)
    for (line, row) in layout.shownRows.enumerated() {
      switch row {
      case .url(let index): drawURL(at: index, of: dialog, layout, line: line, on: &canvas)
      case .setting(let field):
        drawSetting(field, of: dialog, layout, line: line, at: now, on: &canvas)
      }
    }
    for (offset, verdict) in verdicts(on: dialog, layout, at: now).enumerated() {
      box.write(verdict.text, line: layout.rowRoom + offset, on: &canvas, verdict.role)
    }
  }

  private func drawURL(
    at index: Int, of dialog: AddDialog, _ layout: AddLayout, line position: Int,
    on canvas: inout Canvas
  ) {
    let box = layout.box
    let line = dialog.urls.lines[index]
    let isCurrent = dialog.focus == .urls && index == dialog.urls.row
    if index == layout.firstURL {
      let role: Role = dialog.focus == .urls ? .dialogKey : .dialogQuiet
      box.write(Strings.label(.urls), line: position, on: &canvas, role)
    }
    let (row, glyphs) = (box.row + position, canvas.look.glyphs)
    let signColumn = box.column + AddLayout.labelWidth
    switch line.reading {
    case .blank: break
    case .url, .command:
      canvas.write(glyphs.good, row: row, column: signColumn, width: 1, .dialogGood)
    case .problem: canvas.write(glyphs.bad, row: row, column: signColumn, width: 1, .dialogProblem)
    }
    var width = box.width - AddLayout.labelWidth - 2
    if !isCurrent, let remark = remark(on: line, dialog) {
      let room = min(remark.count + 1, width / 2)
      width -= room
      canvas.write(
        remark, row: row, column: signColumn + 2 + width + 1, width: room - 1, .dialogProblem)
    }
    let field = FieldView(
      characters: line.characters, secrets: line.secrets,
      cursor: isCurrent ? dialog.urls.column : nil,
      placeholder: dialog.urls.lines.count == 1 ? Strings.placeholder(.urls) : "")
    field.draw(row: row, column: signColumn + 2, width: width, on: &canvas)
  }

  private func remark(on line: URLLines.Line, _ dialog: AddDialog) -> String? {
    if case .problem(let problem) = line.reading { return Strings.brief(problem) }
    guard let url = line.reading.urlText else { return nil }
    if let found = dialog.duplicates.found[url] { return Strings.inList(found) }
    return dialog.urls.count(of: url) > 1 ? Strings.repeated : nil
  }

  private func drawSetting(
    _ field: AddField, of dialog: AddDialog, _ layout: AddLayout, line position: Int,
    at now: Moment,
    on canvas: inout Canvas
  ) {
    let box = layout.box
    let isCurrent = dialog.focus == field
    box.write(
      Strings.label(field), line: position, on: &canvas, isCurrent ? .dialogKey : .dialogQuiet)
    let (row, signColumn) = (box.row + position, box.column + AddLayout.labelWidth)
    if dialog.problem(of: field, addContext(at: now)) != nil {
      canvas.write(canvas.look.glyphs.bad, row: row, column: signColumn, width: 1, .dialogProblem)
    }
    let editor = dialog.editor(field)
    var characters = editor.characters
    var cursor = isCurrent ? editor.column : nil
    if field == .paused {
      characters = Array(dialog.isPaused ? Strings.isPaused : Strings.isNotPaused)
      cursor = isCurrent ? 0 : nil
    }
    let view = FieldView(
      characters: characters, secrets: dialog.secrets(field), cursor: cursor,
      placeholder: Strings.placeholder(field))
    view.draw(
      row: row, column: signColumn + 2, width: box.width - AddLayout.labelWidth - 2, on: &canvas)
  }

  // MARK: - Messages

  /// Returns the current problem, folded, and the summary, in as many lines as there is room for.
  private func verdicts(
    on dialog: AddDialog, _ layout: AddLayout, at now: Moment
  ) -> [(text: String, role: Role)] {
    let summary = Strings.summary(dialog)
    let isBad = dialog.urls.problemCount > 0
    guard let said = said(on: dialog, at: now) else {
      return [(summary, isBad ? .dialogProblem : .dialogGood)]
    }
    var lines = Fold.lines(said.text, width: layout.box.width).map { ($0, said.role) }
    if layout.verdictRoom > lines.count, !summary.isEmpty { lines.append((summary, .dialogQuiet)) }
    return Array(lines.prefix(layout.verdictRoom))
  }

  private func said(on dialog: AddDialog, at now: Moment) -> (text: String, role: Role)? {
    if let notice { return (notice.text, .dialogProblem) }
    if dialog.focus == .urls {
      let line = dialog.urls.current
      switch line.reading {
      case .problem(let problem):
        return (Strings.sentence(problem, on: line.text), .dialogProblem)
      case .url, .command, .blank:
        if let remark = remark(on: line, dialog) { return (remark, .dialogProblem) }
        if case .command(let command) = line.reading {
          return (Strings.command(command), .dialogGood)
        }
      }
    }
    let context = addContext(at: now)
    if let problem = dialog.problem(of: dialog.focus, context) {
      return (Strings.sentence(problem), .dialogProblem)
    }
    return dialog.firstFieldProblem(context).map { (Strings.sentence($0.problem), .dialogProblem) }
  }
}

/// The visible part of the form.
struct AddLayout {
  enum Row: Hashable {
    case url(Int)
    case setting(AddField)
  }

  static let labelWidth = 10

  let box: DialogBox
  /// The number of lines for the messages at the bottom.
  let verdictRoom: Int
  /// The first visible line of URLs.
  let firstURL: Int
  let shownRows: [Row]

  var rowRoom: Int { box.height - verdictRoom }

  init(_ dialog: AddDialog, size: ScreenSize) {
    let settings = AddField.settings
    let most = max(1, size.rows - 3)
    verdictRoom = most >= 15 ? 3 : most >= 6 ? 2 : 1
    let room = max(1, most - verdictRoom)
    // The settings are visible below the URLs, unless they would leave no room for them.
    let isInURLs = dialog.focus == .urls
    let left = room - settings.count
    let urlRoom = left >= 3 || !isInURLs ? max(1, left) : room
    let urlCount = min(dialog.urls.lines.count, urlRoom)
    let first = min(max(0, dialog.urls.row - urlCount + 1), dialog.urls.lines.count - urlCount)
    let rows =
      (0..<urlCount).map { Row.url(first + $0) } + settings.map { Row.setting($0) }
    let focused = isInURLs ? Row.url(dialog.urls.row) : Row.setting(dialog.focus)
    let index = rows.firstIndex(of: focused) ?? 0
    let skipped = min(max(0, index - room + 1), max(0, rows.count - room))
    firstURL = first
    shownRows = Array(rows.dropFirst(skipped).prefix(room))
    box = DialogBox(size: size, width: 100, height: shownRows.count + verdictRoom)
  }
}
