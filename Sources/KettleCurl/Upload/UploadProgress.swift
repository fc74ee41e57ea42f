import KettleModel

/// Decides when to report how much of a request body was sent: at most ten times a second, and
/// once at the end.
struct UploadProgress {
  static let intervalMilliseconds: Int64 = 100

  let byteCount: Int64
  /// A login may take several requests; each starts at 0 again.
  private(set) var sentByteCount: Int64 = 0
  private var reportedByteCount: Int64 = 0
  private var reportedAt: MonotonicTime?

  init(byteCount: Int64) { self.byteCount = byteCount }

  var isWhole: Bool { sentByteCount == byteCount }

  /// Returns the byte count to report, if any.
  mutating func record(_ count: Int64, at now: MonotonicTime) -> Int64? {
    sentByteCount = count
    if let reportedAt, !isWhole, now.milliseconds(since: reportedAt) < Self.intervalMilliseconds {
      return nil
    }
    return takeUnreported(at: now)
  }

  /// Returns the unreported byte count, or nil when everything was reported.
  mutating func takeUnreported(at now: MonotonicTime) -> Int64? {
    guard sentByteCount != reportedByteCount else { return nil }
    reportedByteCount = sentByteCount
    reportedAt = now
    return sentByteCount
  }
}
