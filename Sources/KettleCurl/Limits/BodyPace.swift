import KettleModel

/// Detects a body so slow that it never ends: an occasional byte keeps a connection from being
/// silent.
///
/// Only time in which the server could have sent more counts: from `start` until `pause`.
struct BodyPace {
  private let leastByteCount: Int64
  private let windowMilliseconds: Int64
  private var byteCount: Int64 = 0
  private var spentMilliseconds: Int64 = 0
  /// nil while paused.
  private var runningSince: MonotonicTime?
  /// When the last bytes arrived, or when counting began.
  private(set) var silentSince = MonotonicTime(milliseconds: 0)

  init(leastByteCount: Int64, windowMilliseconds: Int64) {
    self.leastByteCount = leastByteCount
    self.windowMilliseconds = max(windowMilliseconds, 1)
  }

  mutating func start(at now: MonotonicTime) {
    runningSince = runningSince ?? now
    silentSince = now
  }

  mutating func pause(at now: MonotonicTime) {
    guard let since = runningSince else { return }
    spentMilliseconds += max(now.milliseconds(since: since), 0)
    runningSince = nil
  }

  mutating func record(_ count: Int, at now: MonotonicTime) {
    byteCount += Int64(count)
    silentSince = now
  }

  /// Records a sign of life from the server without a byte.
  mutating func recordSignOfLife(at now: MonotonicTime) { silentSince = now }

  /// When to call `shortfall`; nil while paused.
  var windowEnd: MonotonicTime? {
    runningSince?.advanced(byMilliseconds: max(windowMilliseconds - spentMilliseconds, 0))
  }

  /// Returns the byte count of a finished window if it was too low. A window with enough bytes is
  /// followed by the next one.
  mutating func shortfall(at now: MonotonicTime) -> Int64? {
    guard let windowEnd, windowEnd <= now else { return nil }
    if byteCount < leastByteCount { return byteCount }
    byteCount = 0
    spentMilliseconds = 0
    runningSince = now
    return nil
  }
}
