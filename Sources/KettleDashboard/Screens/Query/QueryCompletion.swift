import KettleModel

/// The names that can follow a key of a filter.
struct QueryNames: Hashable, Sendable {
  var hosts: [String] = []
  var queues: [String] = []
  var sessions: [String] = []
  var machines: [String] = []

  /// The names in the rows that the service has sent, in alphabetical order.
  init(_ rows: [TransferSnapshot], queues: [QueueName]) {
    hosts = Set(rows.map { String($0.host) }).filter { !$0.isEmpty }.sorted()
    self.queues = queues.map(\.text)
    sessions = Set(rows.map(\.session.rawValue)).sorted()
    machines = Set(rows.compactMap(\.machine)).sorted()
  }

  init() {}
}

/// What the last word of a filter or a search can become.
struct QueryCompletion: Hashable, Sendable {
  /// The word as it is written; empty after a space.
  let lastWord: String
  /// The words that begin like the last one, from the key or after its colon.
  let candidates: [String]
  /// Whether the candidates are the values of a key.
  let listsValues: Bool
  /// The condition that a word without a key probably stands for.
  let meant: String?
  /// The text before the last word.
  private let before: String

  init(of text: String, among names: QueryNames) {
    let last = text.last?.isWhitespace == false ? QuotedWord.split(text).last : nil
    lastWord = last?.written ?? ""
    before = String(text.dropLast(lastWord.count))
    let sign = lastWord.first == "!" ? "!" : ""
    let word = String(lastWord.dropFirst(sign.count))
    guard last != nil, !word.contains("\"") else {
      (candidates, listsValues, meant) = ([], false, nil)
      return
    }
    if let colon = word.firstIndex(of: ":"),
      let key = FilterQuery.Key(rawValue: word[..<colon].lowercased())
    {
      candidates = Self.values(of: key, word[word.index(after: colon)...], names)
        .map { sign + key.rawValue + ":" + $0 }
      listsValues = candidates != [lastWord]
      meant = nil
    } else {
      let keys = FilterQuery.Key.allCases.filter { $0.rawValue.hasPrefix(word.lowercased()) }
      candidates = word.isEmpty ? [] : keys.map { sign + $0.rawValue + ":" }
      listsValues = false
      meant = candidates.isEmpty ? Self.meant(by: word, names).map { sign + $0 } : nil
    }
  }

  /// The text with the last word completed as far as it is certain; nil when there is nothing to
  /// add.
  var completed: String? {
    if let meant { return before + meant }
    guard let first = candidates.first else { return nil }
    let common = candidates.dropFirst().reduce(first) { common, word in
      String(zip(common, word).prefix { $0 == $1 }.map(\.0))
    }
    guard common.count > lastWord.count || candidates.count == 1 && common != lastWord else {
      return nil
    }
    return before + common
  }

  private static func values(
    of key: FilterQuery.Key, _ value: Substring, _ names: QueryNames
  ) -> [String] {
    func beginning(_ names: [String]) -> [String] {
      names.filter { $0.lowercased().hasPrefix(value.lowercased()) }
        .map { $0.contains { $0.isWhitespace } ? "\"" + $0 + "\"" : $0 }
    }
    switch key {
    case .state:
      let typed = value.lastIndex(of: ",").map { value[...$0] } ?? ""
      let rest = value.dropFirst(typed.count).lowercased()
      return TransferState.allCases.map(Strings.countWord).filter { $0.hasPrefix(rest) }
        .map { typed + $0 }
    case .needs: return beginning(["you"])
    case .hook: return beginning(["failed"])
    case .host: return beginning(names.hosts)
    case .queue: return beginning(names.queues)
    case .session: return beginning(names.sessions)
    case .on: return beginning(names.machines)
    case .collection: return []
    }
  }

  /// A whole word only: half a name is more likely a part of a file's name.
  private static func meant(by word: String, _ names: QueryNames) -> String? {
    let word = word.lowercased()
    if let state = TransferState.allCases.first(where: { Self.words(for: $0).contains(word) }) {
      return "state:" + Strings.countWord(state)
    }
    if ["login", "decision", "stuck"].contains(word) { return FilterQuery.needsYou }
    if names.queues.contains(where: { $0.lowercased() == word }) { return "queue:" + word }
    if names.hosts.contains(where: { $0.lowercased() == word }) { return "host:" + word }
    return nil
  }

  private static func words(for state: TransferState) -> [String] {
    switch state {
    case .completed: ["done", "completed", "complete", "finished", "ready"]
    case .failed: ["failed", "failure", "error", "errors"]
    case .running: ["running", "active", "downloading"]
    case .idle: ["idle", "stopped"]
    case .scheduled, .queued, .waiting, .paused, .verifying: [state.rawValue]
    }
  }
}
