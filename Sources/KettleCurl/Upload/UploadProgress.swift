import KettleModel

/// Decides when it is told how much of a request's body was sent: at most ten times a second, and
/// once at its end.
struct UploadProgress {
  static let intervalMilliseconds: Int64 = 100

  let byteCount: Int64
  /// A login may take several requests; each begins at 0 again.
  private(set) var sentByteCount: Int64 = 0
  private var toldByteCount: Int64 = 0
  private var toldAt: MonotonicTime?

  init(byteCount: Int64) { self.byteCount = byteCount }

  var isWhole: Bool { sentByteCount == byteCount }

  /// Answers what is to be told, if anything.
  mutating func note(_ count: Int64, at now: MonotonicTime) -> Int64? {
    sentByteCount = count
    if let toldAt, !isWhole, now.milliseconds(since: toldAt) < Self.intervalMilliseconds {
      return nil
    }
    return untold(at: now)
  }

  /// What was sent and not told yet; nil when all was told.
  mutating func untold(at now: MonotonicTime) -> Int64? {
    guard sentByteCount != toldByteCount else { return nil }
    toldByteCount = sentByteCount
    toldAt = now
    return sentByteCount
  }
}
