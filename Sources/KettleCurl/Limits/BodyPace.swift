import KettleModel

/// Tells when a body comes so slowly that it never ends: a byte now and then keeps a connection
/// from being silent.
///
/// Only the time counts in which the server could have sent more: `run` until `rest`.
struct BodyPace {
  private let leastByteCount: Int64
  private let windowMilliseconds: Int64
  private var byteCount: Int64 = 0
  private var spentMilliseconds: Int64 = 0
  /// nil at rest.
  private var runningSince: MonotonicTime?
  /// When something came last, or when it began to count.
  private(set) var silentSince = MonotonicTime(milliseconds: 0)

  init(leastByteCount: Int64, windowMilliseconds: Int64) {
    self.leastByteCount = leastByteCount
    self.windowMilliseconds = max(windowMilliseconds, 1)
  }

  mutating func run(at now: MonotonicTime) {
    runningSince = runningSince ?? now
    silentSince = now
  }

  mutating func rest(at now: MonotonicTime) {
    guard let since = runningSince else { return }
    spentMilliseconds += max(now.milliseconds(since: since), 0)
    runningSince = nil
  }

  mutating func note(_ count: Int, at now: MonotonicTime) {
    byteCount += Int64(count)
    silentSince = now
  }

  /// The server showed that it is there, without a byte.
  mutating func hear(at now: MonotonicTime) { silentSince = now }

  /// When `tooFew` is to be asked; nil at rest.
  var windowEnd: MonotonicTime? {
    runningSince?.advanced(byMilliseconds: max(windowMilliseconds - spentMilliseconds, 0))
  }

  /// How many bytes came in a window that is over, when they were too few. A window with enough
  /// is followed by the next one.
  mutating func tooFew(at now: MonotonicTime) -> Int64? {
    guard let windowEnd, windowEnd <= now else { return nil }
    if byteCount < leastByteCount { return byteCount }
    byteCount = 0
    spentMilliseconds = 0
    runningSince = now
    return nil
  }
}
