import TransferModel

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

  /// One connection, and the part of the file that it brings.
  package struct Connection: Hashable, Sendable {
    /// nil while the server has not answered.
    package var lower: Int64?
    /// Not included; nil while the size is unknown.
    package var upper: Int64?
    package var receivedUpTo: Int64
    package var bytesPerSecond: Int64
    package var url: String

    package init(
      lower: Int64?, upper: Int64?, receivedUpTo: Int64, bytesPerSecond: Int64, url: String
    ) {
      self.lower = lower
      self.upper = upper
      self.receivedUpTo = receivedUpTo
      self.bytesPerSecond = bytesPerSecond
      self.url = url
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
  package var connections: [Connection] = []
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
