/// Selects the transfers that match all set properties.
package struct RowFilter: Codable, Hashable, Sendable {
  package enum Scope: String, Codable, Sendable, CaseIterable {
    case all
    /// Excludes transfers that were cleared from view.
    case uncleared
  }

  /// How far a transfer is.
  package enum Stage: String, Codable, Sendable, CaseIterable {
    /// It runs or is verified.
    case active
    /// It continues by itself, or when it is started.
    case pending
    /// It is finished, or continues only when the user answers it.
    case ended
  }

  /// The accepted states; nil accepts all.
  package var states: [TransferState]?
  package var session: SessionID?
  /// The user's queue; tasks of programs are in none.
  package var queue: QueueName?
  /// The host of the URL or a parent domain: `example.org` also matches `cdn.example.org`.
  package var host: String?
  /// Words separated by spaces. Each must occur in the title, the URL or the path, ignoring case.
  package var text: String?
  /// Accepts only transfers that continue only when the user does something.
  package var needsUser: Bool
  package var scope: Scope
  /// The accepted stage; nil accepts all.
  package var stage: Stage?

  package init(
    states: [TransferState]? = nil, session: SessionID? = nil, queue: QueueName? = nil,
    host: String? = nil, text: String? = nil, needsUser: Bool = false, scope: Scope = .all,
    stage: Stage? = nil
  ) {
    self.states = states
    self.session = session
    self.queue = queue
    self.host = host
    self.text = text
    self.needsUser = needsUser
    self.scope = scope
    self.stage = stage
  }
}

extension RowFilter {
  private enum CodingKeys: String, CodingKey {
    case states, session, queue, host, text, needsUser, scope, stage
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      states: try container.decodeIfPresent([TransferState].self, forKey: .states),
      session: try container.decodeIfPresent(SessionID.self, forKey: .session),
      queue: try container.decodeIfPresent(QueueName.self, forKey: .queue),
      host: try container.decodeIfPresent(String.self, forKey: .host),
      text: try container.decodeIfPresent(String.self, forKey: .text),
      needsUser: try container.decodeIfPresent(Bool.self, forKey: .needsUser) ?? false,
      scope: try container.decodeIfPresent(Scope.self, forKey: .scope) ?? .all,
      stage: try container.decodeIfPresent(Stage.self, forKey: .stage))
  }
}

extension RowFilter.Stage {
  package init(_ state: TransferState, _ reason: WaitingReason?) {
    switch state {
    case .running, .verifying: self = .active
    case .idle, .scheduled, .queued, .paused: self = .pending
    case .waiting: self = reason?.needsUser == true ? .ended : .pending
    case .completed, .failed: self = .ended
    }
  }

  /// The states that a transfer of this stage may have.
  package var states: [TransferState] {
    switch self {
    case .active: [.running, .verifying]
    case .pending: [.idle, .scheduled, .queued, .waiting, .paused]
    case .ended: [.waiting, .completed, .failed]
    }
  }
}

/// A search for the next transfer that contains certain words, in a client's filtered and sorted
/// list.
package struct RowSearch: Codable, Hashable, Sendable {
  package var filter: RowFilter
  package var sort: RowSort
  /// As in `RowFilter.text`.
  package var text: String
  /// The transfer after which the search begins. `startIndex` applies if it is not in the list.
  package var start: TransferID?
  package var startIndex: Int
  package var isBackwards: Bool
  /// Whether the start itself can match.
  package var includesStart: Bool

  package init(
    filter: RowFilter, sort: RowSort, text: String, start: TransferID?, startIndex: Int,
    isBackwards: Bool = false, includesStart: Bool = false
  ) {
    self.filter = filter
    self.sort = sort
    self.text = text
    self.start = start
    self.startIndex = startIndex
    self.isBackwards = isBackwards
    self.includesStart = includesStart
  }
}

/// The result of a `RowSearch`.
package struct FoundRow: Codable, Hashable, Sendable {
  package var id: TransferID
  /// Its index in the filtered and sorted list.
  package var index: Int
  /// Whether the search reached the end of the list and continued from the other end.
  package var hasWrapped: Bool

  package init(id: TransferID, index: Int, hasWrapped: Bool) {
    self.id = id
    self.index = index
    self.hasWrapped = hasWrapped
  }
}

/// A filter prepared for testing many rows.
package struct RowTest: Sendable {
  private let filter: RowFilter
  private let words: WordTest

  package init(_ filter: RowFilter) {
    self.filter = filter
    words = WordTest(filter.words)
  }

  package func passes(_ row: TransferSnapshot) -> Bool {
    switch filter.scope {
    case .all: break
    case .uncleared: if row.isCleared == true { return false }
    }
    if let states = filter.states, !states.contains(row.state) { return false }
    if filter.needsUser, row.state != .waiting || row.reason?.concernsUser != true { return false }
    if let stage = filter.stage, stage != RowFilter.Stage(row.state, row.reason) { return false }
    if let session = filter.session, session != row.session { return false }
    if let queue = filter.queue, queue != row.queueOfUser { return false }
    if let host = filter.host, !row.hasHost(host) { return false }
    return words.passes(row)
  }
}

/// Words of a filter or a search, prepared for testing many rows.
package struct WordTest: Sendable {
  private struct Word: Sendable {
    var text: String
    /// The word as bytes if it is ASCII: comparing bytes is many times faster.
    var bytes: [UInt8]?
  }

  private let words: [Word]

  /// - Parameter words: In lower case, as `RowFilter.words` returns them.
  package init(_ words: [String]) {
    self.words = words.map { word in
      Word(text: word, bytes: word.utf8.allSatisfy { $0 < 0x80 } ? Array(word.utf8) : nil)
    }
  }

  /// Whether each word occurs in the title, the URL or the path.
  package func passes(_ row: TransferSnapshot) -> Bool {
    if words.isEmpty { return true }
    let fields = [row.title, row.url, row.path ?? ""].map { $0.lowercased() }
    return words.allSatisfy { word in fields.contains { Self.occurs(word, in: $0) } }
  }

  private static func occurs(_ word: Word, in field: String) -> Bool {
    guard let bytes = word.bytes, let first = bytes.first else { return field.contains(word.text) }
    var field = field
    return field.withUTF8 { field in
      guard field.count >= bytes.count else { return false }
      return (0...(field.count - bytes.count)).contains { start in
        field[start] == first && field[start..<(start + bytes.count)].elementsEqual(bytes)
      }
    }
  }
}

/// A word of a text that is split at blanks outside double quotes.
package struct QuotedWord: Hashable, Sendable {
  /// The word without its quotes.
  package var text = ""
  /// The word with its quotes.
  package var written = ""
  /// The offset in `text` of the first colon outside quotes.
  package var colonOffset: Int?

  /// Splits `text` into words. An unclosed quote extends to the end, because the user may still be
  /// typing.
  package static func split(_ text: String) -> [QuotedWord] {
    var words: [QuotedWord] = []
    var word: QuotedWord?
    var isQuoted = false
    for character in text {
      if character.isWhitespace, !isQuoted {
        if let word { words.append(word) }
        word = nil
        continue
      }
      var next = word ?? QuotedWord()
      next.written.append(character)
      if character == "\"" {
        isQuoted.toggle()
      } else {
        if character == ":", !isQuoted, next.colonOffset == nil {
          next.colonOffset = next.text.count
        }
        next.text.append(character)
      }
      word = next
    }
    if let word { words.append(word) }
    return words
  }
}

extension RowFilter {
  /// The words of `text`, in lower case.
  package var words: [String] { Self.words(of: text ?? "") }

  package static func words(of text: String) -> [String] {
    QuotedWord.split(text).map { $0.text.lowercased() }.filter { !$0.isEmpty }
  }
}
