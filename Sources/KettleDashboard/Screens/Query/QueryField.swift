import KettleModel

/// The line below the list in which a filter or a search is typed.
package struct QueryField: Hashable, Sendable {
  package enum Purpose: Hashable, Sendable {
    case filter, search
  }

  package let purpose: Purpose
  package internal(set) var line: LineEditor
  /// The text that was in effect when the field was opened; Esc restores it.
  let earlier: String
  /// The transfer under the cursor at that time.
  let startID: TransferID?
  let startIndex: Int
  private let history: [String]
  /// The index of the history entry that is shown; the number of entries stands for the typed text.
  private var recalled: Int
  private var typed = ""

  init(
    _ purpose: Purpose, text: String, earlier: String, startID: TransferID?, startIndex: Int,
    history: InputHistory
  ) {
    self.purpose = purpose
    line = LineEditor(text)
    self.earlier = earlier
    self.startID = startID
    self.startIndex = startIndex
    self.history = history.entries
    recalled = history.entries.count
  }

  package var text: String { line.text }

  /// Pasted text often begins or ends with a line break.
  mutating func insert(_ text: String) -> Bool {
    let lines = text.split(whereSeparator: \.isNewline)
    guard lines.count < 2 else { return false }
    return line.insert(lines.first.map(String.init) ?? "")
  }

  /// Moves backward or forward in the history; after the newest entry comes the typed text.
  mutating func recall(by step: Int) {
    let next = min(max(recalled + step, 0), history.count)
    guard next != recalled else { return }
    if recalled == history.count { typed = line.text }
    recalled = next
    line = LineEditor(next < history.count ? history[next] : typed)
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
    FieldView(characters: line.characters, cursor: line.column)
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
