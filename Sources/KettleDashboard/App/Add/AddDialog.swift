import KettleModel

/// The form that adds transfers.
package struct AddDialog: Hashable, Sendable {
  package enum Phase: Hashable, Sendable {
    case editing
    /// Enter was pressed, and something in it is in the list already or there twice: the next
    /// Enter means it.
    case warned
    /// The service was asked; the form stays until it has answered, so that nothing is lost.
    case adding
  }

  package internal(set) var urls = URLLines()
  package internal(set) var focus = AddField.urls
  package internal(set) var isPaused = false
  package internal(set) var phase = Phase.editing
  package internal(set) var duplicates = DuplicateSearch()
  private var texts: [AddField: LineEditor] = [:]

  package init() {}

  package func editor(_ field: AddField) -> LineEditor { texts[field] ?? LineEditor() }

  /// What stands in a field, without the blanks around it.
  package func text(_ field: AddField) -> String {
    let characters = editor(field).characters.drop { $0 == " " || $0 == "\t" }
    let last = characters.lastIndex { $0 != " " && $0 != "\t" }
    return last.map { String(characters[...$0]) } ?? ""
  }

  /// Which characters of a field are not for other eyes.
  package func secrets(_ field: AddField) -> [Range<Int>] {
    let characters = editor(field).characters
    switch field {
    case .headers: return HeaderList.secrets(characters)
    case .login:
      guard let colon = characters.firstIndex(of: ":") else { return [] }
      return [(colon + 1)..<characters.count]
    case .urls, .directory, .name, .checksum, .limit, .start, .paused: return []
    }
  }
}

// MARK: - Editing

extension AddDialog {
  mutating func apply(_ edit: Edit, at now: MonotonicTime) {
    switch (edit, focus) {
    case (.nextField, _): focus = focus.next(1)
    case (.previousField, _): focus = focus.next(-1)
    case (_, .urls):
      urls.apply(edit)
      changed(at: now)
    case (.left, .paused), (.right, .paused): isPaused.toggle()
    case (_, .paused): break
    case (.nextLine, .headers): _ = insert("; ", at: now)
    case (_, .directory), (_, .name), (_, .checksum), (_, .limit), (_, .headers), (_, .login),
      (_, .start):
      texts[focus, default: LineEditor()].apply(edit)
      changed(at: now)
    }
  }

  /// What is typed or pasted. False when it is too much, and then nothing is changed.
  mutating func insert(_ text: String, at now: MonotonicTime) -> Bool {
    let isTaken: Bool
    switch focus {
    case .urls: isTaken = urls.insert(text)
    case .paused:
      switch text {
      case " ": isPaused.toggle()
      case "y", "Y": isPaused = true
      case "n", "N": isPaused = false
      default: return false
      }
      isTaken = true
    case .headers:
      // A blank that is typed stands alone; a list of headers that is pasted has one in each line.
      let lines = text.split(whereSeparator: \.isNewline)
      isTaken = texts[focus, default: LineEditor()].insert(lines.joined(separator: "; "))
    case .directory, .name, .checksum, .limit, .login, .start:
      let lines = text.split(whereSeparator: \.isNewline)
      isTaken =
        lines.count < 2
        && texts[focus, default: LineEditor()].insert(lines.first.map(String.init) ?? "")
    }
    if isTaken { changed(at: now) }
    return isTaken
  }

  /// Through the lines, and from the last on to the fields below them.
  mutating func move(_ movement: Movement) {
    let isAtLast = urls.row == urls.lines.count - 1
    switch (movement, focus) {
    case (.down, .urls) where isAtLast: focus = focus.next(1)
    case (_, .urls):
      let row = movement.target(from: urls.row, page: 10, last: urls.lines.count - 1)
      urls.move(to: row, column: urls.column)
    case (.up, _): focus = focus.next(-1)
    case (.down, _): if focus != .paused { focus = focus.next(1) }
    case (.pageUp, _), (.home, _): focus = .urls
    case (.pageDown, _), (.end, _): focus = .paused
    }
  }

  private mutating func changed(at now: MonotonicTime) {
    phase = .editing
    if focus == .urls { duplicates.textChanged(at: now) }
  }
}
