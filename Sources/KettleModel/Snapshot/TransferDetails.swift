/// Everything about one transfer, as clients show it.
package struct TransferDetails: Codable, Hashable, Sendable {
  package var snapshot: TransferSnapshot
  /// The target of the last redirect; nil if there was none.
  package var currentURL: String?
  /// The targets of the last attempt's redirects, in order.
  package var redirects: [String] = []
  /// The page of a browser that it came from; nil if none is known.
  package var page: String?
  /// The requested directory, whether or not the name is known.
  package var directory: String?
  /// The rule of the configuration file that applies; nil if none does.
  package var rule: RuleUse?
  package var partialPath: String?
  /// Pairs of lower and upper bounds, in order.
  package var held: ByteRangeSet
  package var liveConnections: [ConnectionDetails] = []
  package var entityTag: String?
  package var lastModified: String?
  package var checksum: String?
  package var status: Int?
  /// The headers of the last response.
  package var headers: [HeaderField]
  package var retryCount: Int
  /// Bytes of each of the last seconds, at most 300, the newest last; only of this run of the
  /// service.
  package var recentSpeeds: [Int64] = []
  /// The durable bytes that the present run continued from, or that the next one will. nil if the
  /// service is too old to report it.
  package var resumedFromByteCount: Int64?
  /// Whether it runs with durable bytes, and the server has not answered yet whether it continues
  /// them. nil if the service is too old to report it.
  package var awaitsAnswer: Bool?
  /// The newest last, at most 100.
  package var history: [HistoryEntry]
  /// The runs of its hooks, the oldest first.
  package var hooks: [HookRun] = []

  package init(
    snapshot: TransferSnapshot, currentURL: String? = nil, partialPath: String? = nil,
    held: ByteRangeSet = ByteRangeSet(), entityTag: String? = nil, lastModified: String? = nil,
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
