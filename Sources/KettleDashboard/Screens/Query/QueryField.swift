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

  /// Returns what is wrong with the content, or what can be typed.
  func verdict(
    isSearching: Bool, hits: SearchHits?, _ context: ScreenContext
  ) -> (text: String, role: Role) {
    switch purpose {
    case .filter:
      if case .failure(let problem) = FilterQuery.parse(text) {
        return (context.fitting(Strings.forms(of: problem)), .problem)
      }
      return (context.fitting(Strings.filterHints), .quiet)
    case .search:
      if isSearching { return (Strings.searching, .quiet) }
      if let hits { return (Strings.hits(hits), .key) }
      return (context.fitting(Strings.searchHints), .quiet)
    }
  }
}
