import TransferModel

/// The keys of the dialogs with text.
extension DashboardModel {
  mutating func openAddDialog(_ key: Key, at now: Moment) {
    var dialog = AddDialog()
    if case .paste(let text) = key, !dialog.insert(text.withoutEndingBreaks) {
      say(Strings.tooManyLines, .problem, at: now)
    }
    screens.append(.add(dialog))
  }

  mutating func edit(_ edit: Edit, at now: Moment) -> [DashboardEffect] {
    switch screens.last {
    case .add(var dialog):
      dialog.apply(edit)
      replaceTop(with: .add(dialog))
    case .entry(var dialog):
      dialog.line.apply(edit)
      replaceTop(with: .entry(dialog))
    case .query: return changeField(at: now) { $0.line.apply(edit) }
    case .details, .help, .question, .resetReport, .sortMenu, nil: break
    }
    return []
  }

  /// All the lines or none: a list of which half was added is hard to go on with.
  mutating func addNow(at now: Moment) -> [DashboardEffect] {
    guard case .add(var dialog) = screens.last else { return [] }
    if let (row, problem) = dialog.firstProblem {
      dialog.move(to: row, column: dialog.lines[row].characters.count)
      replaceTop(with: .add(dialog))
      say(problem.sentence(dialog.lines[row].text), .problem, at: now)
      return []
    }
    let specs = dialog.specs
    guard !specs.isEmpty else {
      say(Strings.nothingToAdd, .problem, at: now)
      return []
    }
    screens.removeLast()
    return [.add(specs)]
  }
}

extension AddDialog {
  mutating func apply(_ edit: Edit) {
    switch edit {
    case .left: moveLeft()
    case .right: moveRight()
    case .lineStart: move(to: row, column: 0)
    case .lineEnd: move(to: row, column: lines[row].characters.count)
    case .eraseBefore: eraseBefore()
    case .eraseAfter: eraseAfter()
    case .eraseLine: eraseLine()
    case .nextLine: _ = insert("\n")
    }
  }
}

extension String {
  /// What is copied from a list often ends with a line break, which is not another line to fill.
  fileprivate var withoutEndingBreaks: String {
    var text = self[...]
    while let last = text.last, last.isNewline { text = text.dropLast() }
    return String(text)
  }
}
