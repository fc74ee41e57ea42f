import KettleModel

/// Parses a filter as it is typed: `state:failed,waiting host:example.org "two words" !iso`.
///
/// A condition has a key; all other words are `WordPattern`s.
package enum FilterQuery {
  package enum Key: String, Hashable, Sendable, CaseIterable {
    case state, host, queue, session, needs, hook, collection
    /// A machine of a fleet.
    case on
  }

  package enum Problem: Error, Hashable, Sendable {
    case unknownKey(String)
    case unknownState(String)
    /// The key has only one value: `needs:you` or `hook:failed`.
    case hasOneForm(Key)
    case missingValue(Key)
    case unusableQueue(String)
    case unknownCollection(String)
    /// A filter can have at most one host, queue, session, collection and machine.
    case second(Key)
    /// Only words and states can be excluded.
    case cannotExclude(Key)
  }

  package static func parse(_ text: String) -> Result<RowFilter, Problem> {
    Result { () throws(Problem) in try read(text) }
  }

  /// What a search finds. A text that is not a filter is searched for as it is: it may be a part of
  /// a URL.
  static func searched(_ text: String) -> RowFilter {
    guard case .success(let filter) = parse(text) else { return RowFilter(text: text) }
    return filter
  }

  private static func read(_ text: String) throws(Problem) -> RowFilter {
    var filter = RowFilter()
    var words: [String] = []
    var excluded: Set<TransferState> = []
    for word in QuotedWord.split(text) {
      guard let condition = Condition(word) else {
        words.append(word.written)
        continue
      }
      let (key, value) = (try condition.key(), condition.value)
      guard !value.isEmpty else { throw .missingValue(key) }
      if condition.isExcluded {
        guard key == .state else { throw .cannotExclude(key) }
        excluded.formUnion(try states(value))
      } else {
        try apply(key, value, to: &filter)
      }
    }
    if !excluded.isEmpty {
      filter.states = (filter.states ?? TransferState.allCases).filter { !excluded.contains($0) }
    }
    if !words.isEmpty { filter.text = words.joined(separator: " ") }
    return filter
  }

  private static func apply(
    _ key: Key, _ value: String, to filter: inout RowFilter
  ) throws(Problem) {
    switch key {
    case .state: filter.states = (filter.states ?? []) + (try states(value))
    case .host:
      guard filter.host == nil else { throw .second(.host) }
      filter.host = value.lowercased()
    case .on:
      guard filter.machine == nil else { throw .second(.on) }
      filter.machine = value
    case .needs:
      guard "you".hasPrefix(value.lowercased()) else { throw .hasOneForm(.needs) }
      filter.needsUser = true
    case .hook:
      guard "failed".hasPrefix(value.lowercased()) else { throw .hasOneForm(.hook) }
      filter.hookFailed = true
    case .queue:
      guard filter.queue == nil else { throw .second(.queue) }
      guard let name = QueueName(value) else { throw .unusableQueue(value) }
      filter.queue = name
    case .collection:
      guard filter.membership == .any else { throw .second(.collection) }
      guard let id = Int64(value), id > 0 else { throw .unknownCollection(value) }
      filter.membership = .of(TransferID(rawValue: id))
    case .session:
      guard filter.session == nil else { throw .second(.session) }
      filter.session = SessionID(rawValue: value)
    }
  }

  /// Returns whether the last word may be the beginning of `state:`. It is not searched for yet:
  /// the list would be empty until the user has typed the rest.
  static func isBeginningOfCondition(_ text: String) -> Bool {
    guard let last = QuotedWord.split(text).last, text.last?.isWhitespace == false else {
      return false
    }
    return Key.allCases.contains { $0.rawValue.hasPrefix(last.written.lowercased()) }
  }

  /// A word that is split at its colon.
  private struct Condition {
    let name: String
    let value: String
    let isExcluded: Bool

    /// Returns nil for a plain word, and for a URL.
    init?(_ word: QuotedWord) {
      guard let offset = word.colonOffset else { return nil }
      isExcluded = word.written.first == "!"
      name = String(word.text.prefix(offset).dropFirst(isExcluded ? 1 : 0))
      value = String(word.text.dropFirst(offset + 1))
      guard !name.isEmpty, name.allSatisfy(\.isLetter), !value.hasPrefix("//") else { return nil }
    }

    func key() throws(Problem) -> Key {
      guard let key = Key(rawValue: name.lowercased()) else { throw .unknownKey(name) }
      return key
    }
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
  static func collection(_ id: TransferID) -> String { "\(Key.collection.rawValue):\(id)" }

  static let needsYou = Key.needs.rawValue + ":you"
  static let hookFailed = Key.hook.rawValue + ":failed"

  /// Returns the text with its states replaced and the rest unchanged; nil removes the states.
  package static func text(_ text: String, withState state: TransferState?) -> String {
    var parts = QuotedWord.split(text)
      .filter { Condition($0)?.name.lowercased() != Key.state.rawValue }.map(\.written)
    if let state { parts.insert(Key.state.rawValue + ":" + state.rawValue, at: 0) }
    return parts.joined(separator: " ")
  }
}
