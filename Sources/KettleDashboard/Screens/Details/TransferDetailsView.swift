import KettleModel

/// Everything that the details screen shows about one transfer.
package struct TransferDetailsView: Hashable, Sendable {
  package struct HistoryLine: Hashable, Sendable {
    package var at: WallTime
    package var text: String

    package init(at: WallTime, text: String) {
      self.at = at
      self.text = text
    }
  }

  package var snapshot: TransferSnapshot
  /// The target of the last redirect.
  package var currentURL: String?
  /// The redirect targets of the last attempt, in order.
  package var redirects: [String] = []
  /// The requested directory.
  package var directory: String?
  /// The rule of the configuration file that applies.
  package var rule: RuleUse?
  package var partialPath: String?
  package var durable = ByteRangeSet()
  package var connections: [ConnectionDetails] = []
  package var entityTag: String?
  package var lastModified: String?
  package var checksum: String?
  /// The status and the headers are those of the last reply.
  package var status: Int?
  package var headers: [HeaderField] = []
  package var retryCount = 0
  /// The bytes received in each of the last seconds, the newest last.
  package var recentSpeeds: [Int64] = []
  /// The newest last.
  package var history: [HistoryLine] = []
  /// The runs of its hooks, the oldest first.
  package var hooks: [HookRun] = []

  package init(snapshot: TransferSnapshot) { self.snapshot = snapshot }
}
