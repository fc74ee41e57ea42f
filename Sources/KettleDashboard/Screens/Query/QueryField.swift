import KettleModel

/// The line below the list in which a filter or a search is typed.
package struct QueryField: Hashable, Sendable {
  package enum Purpose: Hashable, Sendable {
    case filter, search
  }

  package let purpose: Purpose
  var line: RecallingLine
  /// The text that was in effect when the field was opened; Esc restores it.
  let earlier: String
  /// The transfer under the cursor at that time.
  let startID: TransferID?
  let startIndex: Int

  init(
    _ purpose: Purpose, text: String, earlier: String, startID: TransferID?, startIndex: Int,
    history: InputHistory
  ) {
    self.purpose = purpose
    line = RecallingLine(text, history: history)
    self.earlier = earlier
    self.startID = startID
    self.startIndex = startIndex
  }

  package var text: String { line.text }

  /// Pasted text often begins or ends with a line break.
  mutating func insert(_ text: String) -> Bool {
    let lines = text.split(whereSeparator: \.isNewline)
    guard lines.count < 2 else { return false }
    return line.editor.insert(lines.first.map(String.init) ?? "")
  }
}

/// Earlier entries of a field.
package struct InputHistory: Hashable, Sendable {
  package static let countMax = 50

  /// The newest last, without duplicates.
  package private(set) var entries: [String] = []

  package init() {}

  mutating func append(_ text: String) {
    guard !text.isEmpty else { return }
    entries.removeAll { $0 == text }
    entries.append(text)
    if entries.count > Self.countMax { entries.removeFirst(entries.count - Self.countMax) }
  }
}

extension QueryField {
  func draw(on canvas: inout Canvas, row: Int) {
    FieldView(characters: line.editor.characters, cursor: line.editor.column)
      .draw(titled: Strings.title(of: purpose), row: row, on: &canvas)
  }
}

/// What the line below the field says.
struct QueryVerdict {
  let field: QueryField
  let completion: QueryCompletion
  /// The matches; nil while they are unknown.
  let hits: SearchHits?
  let isSearching: Bool

  /// Returns what is wrong with the text, what Tab makes of it, the number of matches, or what can
  /// be typed.
  func line(_ context: ScreenContext) -> (text: String, role: Role) {
    if completion.listsValues, !completion.candidates.isEmpty {
      let words = completion.candidates.map { $0.sanitizedForDisplay(limit: 60) }
      return (words.joined(separator: "  "), .quiet)
    }
    let tab = context.keymap.key(of: "complete")?.name
    if let meant = completion.meant, let tab {
      return (
        context.fitting(Strings.meant(meant, insteadOf: completion.lastWord, hits, tab: tab)), .key
      )
    }
    switch field.purpose {
    case .filter:
      if case .failure(let problem) = FilterQuery.parse(field.text) {
        return (context.fitting(Strings.forms(of: problem)), .problem)
      }
      if let hits, !field.text.isEmpty { return (Strings.hits(hits), .key) }
      return (context.fitting(Strings.filterHints), .quiet)
    case .search:
      if isSearching { return (Strings.searching, .quiet) }
      if let hits { return (Strings.hits(hits), .key) }
      return (context.fitting(Strings.searchHints), .quiet)
    }
  }
}
