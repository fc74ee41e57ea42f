import KettleModel

/// A dialog with one line: a new link for a transfer, or a speed limit.
package struct EntryDialog: Hashable, Sendable {
  package enum Purpose: Hashable, Sendable {
    case freshLink, speedLimit
  }

  /// The transfers that a limit applies to.
  package enum Scope: Hashable, Sendable {
    /// The row as it was when the dialog was opened.
    case row(TransferSnapshot)
    case marked(TransferSelection, count: Int, limit: Int64?)
    /// The shared limit of all transfers together.
    case everything(limit: Int64?)

    var limit: Int64? {
      switch self {
      case .row(let row): row.limitBytesPerSecond
      case .marked(_, _, let limit), .everything(let limit): limit
      }
    }

    var selection: TransferSelection {
      switch self {
      case .row(let row): .ids([row.id])
      case .marked(let selection, _, _): selection
      case .everything: .all
      }
    }
  }

  /// The parsed content of the line.
  package enum Reading: Hashable, Sendable {
    case missing
    case link(TransferURL.Parsed)
    /// nil removes the limit.
    case limit(bytesPerSecond: Int64?)
    case linkProblem(TransferURLProblem)
    case invalidRate
  }

  package let purpose: Purpose
  /// Never empty; the user can switch between them.
  package let scopes: [Scope]
  private var scopeIndex = 0
  package internal(set) var line = LineEditor()
  /// Whether the user typed the line; otherwise it shows the current limit.
  private var isTyped = false

  init(freshLinkFor row: TransferSnapshot) {
    purpose = .freshLink
    scopes = [.row(row)]
  }

  init(speedLimitFor first: Scope, _ others: [Scope]) {
    purpose = .speedLimit
    scopes = [first] + others
    showPresentLimit()
  }

  package var scope: Scope { scopes[scopeIndex] }

  package var reading: Reading {
    let text = String(line.text.filter { $0 != " " && $0 != "\t" })
    switch purpose {
    case .freshLink:
      guard !text.isEmpty else { return .missing }
      switch TransferURL.parse(line.text) {
      case .success(let link): return .link(link)
      case .failure(let problem): return .linkProblem(problem)
      }
    case .speedLimit:
      if text.isEmpty || text.lowercased() == RateText.none { return .limit(bytesPerSecond: nil) }
      return RateText.parse(text).map { .limit(bytesPerSecond: $0) } ?? .invalidRate
    }
  }

  /// Pasted text often begins or ends with a line break.
  mutating func insert(_ text: String) -> Bool {
    let lines = text.split(whereSeparator: \.isNewline)
    guard lines.count < 2 else { return false }
    isTyped = true
    return line.insert(lines.first.map(String.init) ?? "")
  }

  mutating func apply(_ edit: Edit) {
    switch edit {
    case .nextField: chooseScope(1)
    case .previousField: chooseScope(-1)
    case .left, .right, .lineStart, .lineEnd: line.apply(edit)
    case .eraseBefore, .eraseAfter, .eraseLine, .nextLine:
      line.apply(edit)
      isTyped = true
    }
  }

  private mutating func chooseScope(_ step: Int) {
    scopeIndex = (scopeIndex + step + scopes.count) % scopes.count
    if !isTyped { showPresentLimit() }
  }

  private mutating func showPresentLimit() {
    line = LineEditor()
    _ = line.insert(scope.limit.map(RateText.text) ?? "")
  }
}

extension DashboardModel {
  mutating func openLinkDialog() {
    guard let row = selectedRows.first else { return }
    screens.append(.entry(EntryDialog(freshLinkFor: row)))
  }

  /// Opens the dialog for the marked transfers or the row under the cursor, and for all together.
  mutating func openLimitDialog() {
    var scopes: [EntryDialog.Scope] = []
    if let selection = marks.selection {
      let limits = Set(selectedRows.map(\.limitBytesPerSecond))
      let common = limits.count == 1 && selectedRows.count >= markedCount ? limits.first : nil
      scopes.append(.marked(selection, count: markedCount, limit: common ?? nil))
    }
    if let row = cursorRow, row.state != .completed { scopes.append(.row(row)) }
    scopes.append(.everything(limit: totals.limitBytesPerSecond))
    screens.append(.entry(EntryDialog(speedLimitFor: scopes[0], Array(scopes.dropFirst()))))
  }

  /// Applies the content of the dialog if it is valid.
  mutating func acceptEntry(at now: Moment) -> [DashboardEffect] {
    guard case .entry(let dialog) = screens.last else { return [] }
    let effect: DashboardEffect
    switch (dialog.reading, dialog.scope) {
    case (.link(let link), .row(let row)): effect = .relink(row.id, link)
    case (.limit(let bytesPerSecond), let scope): effect = .limit(scope.selection, bytesPerSecond)
    case (.link, _), (.missing, _), (.linkProblem, _), (.invalidRate, _):
      showNotice(Strings.verdict(on: dialog), .problem, at: now)
      return []
    }
    screens.removeLast()
    return [effect]
  }

  mutating func insert(_ text: String, into dialog: EntryDialog, at now: Moment) {
    var dialog = dialog
    if !dialog.insert(text) { showNotice(Strings.oneLineOnly, .problem, at: now) }
    replaceTop(with: .entry(dialog))
  }
}

/// The dialog with one line.
extension DashboardModel {
  func draw(_ dialog: EntryDialog, on canvas: inout Canvas) {
    let hasChoice = dialog.scopes.count > 1
    let box = DialogBox(size: size, width: 100, height: hasChoice ? 5 : 4)
    box.draw(title: Strings.title(of: dialog.purpose), on: &canvas)
    box.write(Strings.hint(on: dialog), line: 0, on: &canvas, .dialogQuiet)
    let characters = dialog.line.characters
    let password = SecretText.passwordRange(inURL: characters, characters.indices)
    let field = FieldView(
      characters: characters, secrets: password.map { [$0] } ?? [], cursor: dialog.line.column)
    field.draw(row: box.row + 1, column: box.column, width: box.width, on: &canvas)
    let role: Role =
      switch dialog.reading {
      case .link, .limit, .missing: notice == nil ? .dialogGood : .dialogProblem
      case .linkProblem, .invalidRate: .dialogProblem
      }
    let verdict = notice?.text ?? Strings.verdict(on: dialog)
    for (offset, text) in Fold.lines(verdict, width: box.width).prefix(2).enumerated() {
      box.write(text, line: 2 + offset, on: &canvas, role)
    }
    if hasChoice { box.write(Strings.otherScopes(dialog), line: 4, on: &canvas, .dialogQuiet) }
  }
}
