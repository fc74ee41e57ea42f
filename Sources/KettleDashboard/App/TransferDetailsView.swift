import KettleModel

/// Everything that the details screen shows of one transfer.
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
  /// Where the last redirect led.
  package var currentURL: String?
  /// Where the redirects of the last attempt led, one after the other.
  package var redirects: [String] = []
  /// The directory that was asked for.
  package var directory: String?
  package var partialPath: String?
  package var held = HeldRanges()
  package var connections: [ConnectionDetails] = []
  package var entityTag: String?
  package var lastModified: String?
  package var checksum: String?
  /// Of the last reply, as are the headers.
  package var status: Int?
  package var headers: [HeaderField] = []
  package var retryCount = 0
  /// Bytes of each of the last seconds, the newest last.
  package var recentSpeeds: [Int64] = []
  /// The newest last.
  package var history: [HistoryLine] = []

  package init(snapshot: TransferSnapshot) { self.snapshot = snapshot }
}
