import KettleModel

/// The controls of the state table in docs/architecture.md, and remove.
package enum TransferControlVerb: String, Codable, Hashable, Sendable, CaseIterable {
  case start, pause, stop
  /// Off the list; a finished file stays.
  case remove
  /// Off the list, and the finished file is deleted when it is still what Kettle wrote.
  case removeWithFile
}

/// Some rows of the list, and where they stand in it.
package struct RowWindow: Codable, Hashable, Sendable {
  package var first: Int
  /// How many rows pass the filter.
  package var matchingCount: Int
  package var rows: [TransferSnapshot]
  package var totals: Totals
  /// Where the anchor of the viewport stands; nil when it does not pass the filter.
  package var anchorIndex: Int?
  /// That of the viewport.
  package var tag: Int?

  package init(
    first: Int, matchingCount: Int, rows: [TransferSnapshot], totals: Totals,
    anchorIndex: Int? = nil, tag: Int? = nil
  ) {
    self.first = first
    self.matchingCount = matchingCount
    self.rows = rows
    self.totals = totals
    self.anchorIndex = anchorIndex
    self.tag = tag
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
  /// Where the redirects of the last attempt led, one after the other.
  package var redirects: [String]?
  /// The directory that was asked for, whether or not the name is known.
  package var directory: String?
  package var partialPath: String?
  /// Pairs of lower and upper, in order.
  package var held: HeldRanges
  package var liveConnections: [ConnectionDetails]?
  package var entityTag: String?
  package var lastModified: String?
  package var checksum: String?
  package var status: Int?
  /// The headers of the last reply.
  package var headers: [HeaderField]
  package var retryCount: Int
  /// Bytes of each of the last seconds, at most 300, the newest last; only of this run of the
  /// service.
  package var recentSpeeds: [Int64]?
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
