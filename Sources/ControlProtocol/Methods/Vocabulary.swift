import TransferModel

/// The controls of the state table in docs/architecture.md, and remove.
package enum TransferControlVerb: String, Codable, Hashable, Sendable, CaseIterable {
  case start, pause, stop
  /// Off the list; a finished file stays.
  case remove
  /// Off the list, and the finished file is deleted when it is still what Kettle wrote.
  case removeWithFile
}

/// Which transfers a control is for.
package enum TransferSelection: Hashable, Sendable {
  case ids([TransferID])
  /// Those that the control makes sense for; none is refused.
  case all
}

extension TransferSelection: Codable {
  private enum CodingKeys: String, CodingKey { case ids, all }

  /// `{"ids": [1, 2]}` or `{"all": true}`; an empty object selects nothing by mistake, so it is
  /// refused.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let ids = try container.decodeIfPresent([TransferID].self, forKey: .ids) {
      self = .ids(ids)
    } else if try container.decodeIfPresent(Bool.self, forKey: .all) == true {
      self = .all
    } else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "neither ids nor all"))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .ids(let ids): try container.encode(ids, forKey: .ids)
    case .all: try container.encode(true, forKey: .all)
    }
  }
}

/// The part of the list that a client looks at.
package struct Viewport: Codable, Hashable, Sendable {
  package var filter: RowFilter
  package var sort: RowSort
  /// Index of the first row, after filter and sort.
  package var first: Int
  /// At most `countMax`.
  package var count: Int

  package static let countMax = 10_000

  package init(
    filter: RowFilter = RowFilter(), sort: RowSort = RowSort(), first: Int = 0,
    count: Int = countMax
  ) {
    self.filter = filter
    self.sort = sort
    self.first = first
    self.count = count
  }
}

/// A transfer is shown when it passes every part that is set.
package struct RowFilter: Codable, Hashable, Sendable {
  /// Any of these; nil is all.
  package var states: [TransferState]?
  package var session: SessionID?
  /// Found in the title, the URL or the path, without regard to case.
  package var text: String?

  package init(states: [TransferState]? = nil, session: SessionID? = nil, text: String? = nil) {
    self.states = states
    self.session = session
    self.text = text
  }
}

package struct RowSort: Codable, Hashable, Sendable {
  package enum Key: String, Codable, Sendable, CaseIterable {
    /// The order in which they were added, moved by hand where the user did.
    case queue
    case title, state, size, progress, speed, secondsLeft, createdAt
  }

  package var key: Key
  package var isDescending: Bool

  package init(key: Key = .queue, isDescending: Bool = false) {
    self.key = key
    self.isDescending = isDescending
  }
}

/// Some rows of the list, and where they stand in it.
package struct RowWindow: Codable, Hashable, Sendable {
  package var first: Int
  /// How many rows pass the filter.
  package var matchingCount: Int
  package var rows: [TransferSnapshot]
  package var totals: Totals

  package init(first: Int, matchingCount: Int, rows: [TransferSnapshot], totals: Totals) {
    self.first = first
    self.matchingCount = matchingCount
    self.rows = rows
    self.totals = totals
  }
}

/// One line of the history of a transfer.
package struct HistoryEntry: Codable, Hashable, Sendable {
  package var at: WallTime
  package var text: String

  package init(at: WallTime, text: String) {
    self.at = at
    self.text = text
  }
}

package struct TransferDetails: Codable, Hashable, Sendable {
  package var snapshot: TransferSnapshot
  /// Where the last redirect led; nil when there was none.
  package var currentURL: String?
  package var partialPath: String?
  /// Pairs of lower and upper, in order.
  package var held: HeldRanges
  package var entityTag: String?
  package var lastModified: String?
  package var checksum: String?
  package var status: Int?
  /// The headers of the last reply.
  package var headers: [HeaderField]
  package var retryCount: Int
  /// The newest last, at most 100.
  package var history: [HistoryEntry]

  package init(
    snapshot: TransferSnapshot, currentURL: String? = nil, partialPath: String? = nil,
    held: HeldRanges = HeldRanges(), entityTag: String? = nil, lastModified: String? = nil,
    checksum: String? = nil, status: Int? = nil, headers: [HeaderField] = [], retryCount: Int = 0,
    history: [HistoryEntry] = []
  ) {
    self.snapshot = snapshot
    self.currentURL = currentURL
    self.partialPath = partialPath
    self.held = held
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.checksum = checksum
    self.status = status
    self.headers = headers
    self.retryCount = retryCount
    self.history = history
  }
}
