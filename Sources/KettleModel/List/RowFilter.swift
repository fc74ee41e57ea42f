/// Selects the transfers that match all set properties.
package struct RowFilter: Codable, Hashable, Sendable {
  package enum Scope: String, Codable, Sendable, CaseIterable {
    case all
    /// Excludes transfers that were cleared from view.
    case uncleared
  }

  /// How transfers belong to collections.
  package enum Membership: Hashable, Sendable {
    case any
    /// Excludes the files of collections, which their collections stand for, unless one needs the
    /// user.
    case none
    /// Accepts only the files of this collection.
    case of(TransferID)
    /// Accepts only collections.
    case collections
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
  /// Words separated by spaces, as `WordPattern` reads them. Each must occur in the title, the URL
  /// or the path, ignoring case.
  package var text: String?
  /// Accepts only transfers that continue only when the user does something.
  package var needsUser: Bool
  /// Accepts only transfers whose latest hook failed.
  package var hookFailed: Bool
  package var scope: Scope
  /// The accepted stage; nil accepts all.
  package var stage: Stage?
  package var membership: Membership
  /// The name of the host of a fleet that has claimed or published it.
  package var machine: String?

  package init(
    states: [TransferState]? = nil, session: SessionID? = nil, queue: QueueName? = nil,
    host: String? = nil, text: String? = nil, needsUser: Bool = false,
    hookFailed: Bool = false, scope: Scope = .all, stage: Stage? = nil,
    membership: Membership = .any, machine: String? = nil
  ) {
    self.states = states
    self.session = session
    self.queue = queue
    self.host = host
    self.text = text
    self.needsUser = needsUser
    self.hookFailed = hookFailed
    self.scope = scope
    self.stage = stage
    self.membership = membership
    self.machine = machine
  }
}

extension RowFilter.Membership: Codable {
  private static let noneWord = "none"
  private static let collectionsWord = "collections"

  /// The word `none` or `collections`, or the number of a collection.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let id = try? container.decode(Int64.self) {
      self = .of(TransferID(rawValue: id))
      return
    }
    switch try container.decode(String.self) {
    case Self.noneWord: self = .none
    case Self.collectionsWord: self = .collections
    default:
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "not how transfers belong to collections")
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .any: try container.encodeNil()
    case .none: try container.encode(Self.noneWord)
    case .of(let id): try container.encode(id.rawValue)
    case .collections: try container.encode(Self.collectionsWord)
    }
  }
}

extension RowFilter {
  private enum CodingKeys: String, CodingKey {
    case states, session, queue, host, text, needsUser, hookFailed, scope, stage, membership
    case machine
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
      hookFailed: try container.decodeIfPresent(Bool.self, forKey: .hookFailed) ?? false,
      scope: try container.decodeIfPresent(Scope.self, forKey: .scope) ?? .all,
      stage: try container.decodeIfPresent(Stage.self, forKey: .stage),
      membership: try container.decodeIfPresent(Membership.self, forKey: .membership) ?? .any,
      machine: try container.decodeIfPresent(String.self, forKey: .machine))
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
  /// What the transfer must match besides; nil accepts all.
  package var matching: RowFilter?
  /// The transfer after which the search begins. `startIndex` applies if it is not in the list.
  package var start: TransferID?
  package var startIndex: Int
  package var isBackwards: Bool
  /// Whether the start itself can match.
  package var includesStart: Bool

  package init(
    filter: RowFilter, sort: RowSort, text: String, start: TransferID?, startIndex: Int,
    isBackwards: Bool = false, includesStart: Bool = false, matching: RowFilter? = nil
  ) {
    self.filter = filter
    self.sort = sort
    self.text = text
    self.matching = matching
    self.start = start
    self.startIndex = startIndex
    self.isBackwards = isBackwards
    self.includesStart = includesStart
  }
}

extension RowSearch {
  /// Everything that a transfer must match to be found.
  package var wanted: RowFilter {
    var wanted = matching ?? RowFilter()
    wanted.text = text
    return wanted
  }

  /// Whether it searches for anything.
  package var isEmpty: Bool { matching == nil && wanted.words.isEmpty }
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
    if filter.hookFailed, row.failedHook == nil { return false }
    if let stage = filter.stage, stage != RowFilter.Stage(row.state, row.reason) { return false }
    if let session = filter.session, session != row.session { return false }
    switch filter.membership {
    case .any: break
    case .none: if row.member != nil, row.reason?.concernsUser != true { return false }
    case .of(let id): if row.member?.collection != id { return false }
    case .collections: if row.collection == nil { return false }
    }
    if let queue = filter.queue, queue != row.queueOfUser { return false }
    if let host = filter.host, !row.hasHost(host) { return false }
    if let machine = filter.machine, machine != row.machine { return false }
    return words.passes(row)
  }
}

extension RowFilter {
  /// The words of `text`.
  package var words: [WordPattern] { WordPattern.all(in: text ?? "") }
}
