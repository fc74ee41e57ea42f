import KettleModel

/// Parses a filter as it is typed: `state:failed,waiting host:example.org "two words" iso`.
package enum FilterQuery {
  package enum Key: String, Hashable, Sendable, CaseIterable {
    case state, host, queue, session, needs
  }

  package enum Problem: Error, Hashable, Sendable {
    case unknownKey(String)
    case unknownState(String)
    /// Only `needs:you` has a meaning.
    case unknownNeed(String)
    case missingValue(Key)
    case unusableQueue(String)
    /// A filter can have at most one host, one queue and one session.
    case second(Key)
  }

  package static func parse(_ text: String) -> Result<RowFilter, Problem> {
    Result { () throws(Problem) in try read(text) }
  }

  private static func read(_ text: String) throws(Problem) -> RowFilter {
    var filter = RowFilter()
    var words: [String] = []
    for word in QuotedWord.split(text) {
      guard let (name, value) = condition(word) else {
        words.append(word.written)
        continue
      }
      guard let key = Key(rawValue: name.lowercased()) else { throw .unknownKey(name) }
      guard !value.isEmpty else { throw .missingValue(key) }
      switch key {
      case .state: filter.states = (filter.states ?? []) + (try states(value))
      case .host:
        guard filter.host == nil else { throw .second(.host) }
        filter.host = value.lowercased()
      case .needs:
        guard "you".hasPrefix(value.lowercased()) else { throw .unknownNeed(value) }
        filter.needsUser = true
      case .queue:
        guard filter.queue == nil else { throw .second(.queue) }
        guard let name = QueueName(value) else { throw .unusableQueue(value) }
        filter.queue = name
      case .session:
        guard filter.session == nil else { throw .second(.session) }
        filter.session = SessionID(rawValue: value)
      }
    }
    if !words.isEmpty { filter.text = words.joined(separator: " ") }
    return filter
  }

  /// Returns whether the last word may be the beginning of `state:`. It is not searched for yet:
  /// the list would be empty until the user has typed the rest.
  static func isBeginningOfCondition(_ text: String) -> Bool {
    guard let last = QuotedWord.split(text).last, text.last?.isWhitespace == false else {
      return false
    }
    return Key.allCases.contains { $0.rawValue.hasPrefix(last.written.lowercased()) }
  }

  /// Splits a word at its colon. Returns nil for a plain word, and for a URL.
  private static func condition(_ word: QuotedWord) -> (name: String, value: String)? {
    guard let offset = word.colonOffset, offset > 0 else { return nil }
    let name = String(word.text.prefix(offset))
    let value = String(word.text.dropFirst(offset + 1))
    guard name.allSatisfy(\.isLetter), !value.hasPrefix("//") else { return nil }
    return (name, value)
  }

  /// A prefix of a name is enough: no two names begin alike.
  private static func states(_ value: String) throws(Problem) -> [TransferState] {
    var states: [TransferState] = []
    for part in value.lowercased().split(separator: ",") {
      let found = TransferState.allCases.filter { state in
        names(of: state).contains { $0.hasPrefix(part) }
      }
      guard found.count == 1 else { throw .unknownState(String(part)) }
      states += found
    }
    guard !states.isEmpty else { throw .missingValue(.state) }
    return states
  }

  private static func names(of state: TransferState) -> [String] {
    switch state {
    case .completed: [state.rawValue, Strings.countWord(state)]
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .verifying, .failed:
      [state.rawValue]
    }
  }

  /// The filter for transfers that continue only when the user does something.
  static let needsYou = Key.needs.rawValue + ":you"

  /// Returns the text with its states replaced and the rest unchanged; nil removes the states.
  package static func text(_ text: String, withState state: TransferState?) -> String {
    var parts = QuotedWord.split(text)
      .filter { condition($0)?.name.lowercased() != Key.state.rawValue }.map(\.written)
    if let state { parts.insert(Key.state.rawValue + ":" + state.rawValue, at: 0) }
    return parts.joined(separator: " ")
  }
}

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
