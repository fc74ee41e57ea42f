import KettleModel

/// A token bucket for one speed limit: bytes are added over time, up to a small capacity, and
/// removed as they are accepted.
///
/// libcurl's own limit (CURLOPT_MAX_RECV_SPEED_LARGE) does not hold in 7.88: at 1 MB/s, 6 MB
/// arrived in 0.4 s.
struct TokenBucket {
  /// How much of an idle time or a late wake-up is made up for. Over five seconds that is less than
  /// 4 %.
  private static let storeMilliseconds: Int64 = 187
  /// The least time worth waking up for, and for a fast limit the least number of bytes.
  private static let worthMilliseconds: Int64 = 62
  private static let worthByteCountMax: Int64 = 256 * 1024
  /// A petabyte per second; beyond it the sums below could overflow.
  private static let rateMax: Int64 = 1 << 50

  let bytesPerSecond: Int64
  /// In thousandths of a byte: one byte per second adds one of them per millisecond.
  private var stored: Int64 = 0
  private var countedAt: MonotonicTime

  /// Starts empty. Returns nil when there is no limit.
  init?(bytesPerSecond: Int64?, at now: MonotonicTime) {
    guard let bytesPerSecond, bytesPerSecond > 0 else { return nil }
    self.bytesPerSecond = min(bytesPerSecond, Self.rateMax)
    countedAt = now
  }

  /// Continues from `old`: keeps its stored bytes as far as they fit.
  init?(bytesPerSecond: Int64?, after old: TokenBucket?, at now: MonotonicTime) {
    self.init(bytesPerSecond: bytesPerSecond, at: now)
    guard var old else { return }
    old.count(until: now)
    refund(old.available)
  }

  /// How many bytes are worth waking up for.
  private var worth: Int64 {
    min(max(bytesPerSecond * Self.worthMilliseconds / 1000, 1), Self.worthByteCountMax)
  }

  /// The capacity in thousandths of a byte. At least two bytes, so that the slowest limit does not
  /// lose the fractions beyond the first.
  private var capacity: Int64 { max(bytesPerSecond * Self.storeMilliseconds, 2000) }

  var available: Int64 { stored / 1000 }

  /// Whether there is enough to let an attempt resume.
  var isWorthResuming: Bool { available >= worth }

  /// Adds the bytes for the time since the last call.
  mutating func count(until now: MonotonicTime) {
    let elapsed = now.milliseconds(since: countedAt)
    guard elapsed > 0 else { return }
    countedAt = now
    let (gained, isFar) = bytesPerSecond.multipliedReportingOverflow(by: elapsed)
    stored = isFar || gained > capacity - stored ? capacity : stored + gained
  }

  /// Removes bytes, at most all of them.
  mutating func consume(_ byteCount: Int64) { stored -= min(max(byteCount, 0), available) * 1000 }

  /// Returns unused bytes.
  mutating func refund(_ byteCount: Int64) {
    stored += min(max(byteCount, 0), (capacity - stored) / 1000) * 1000
  }

  /// When `isWorthResuming` becomes true.
  var worthResumingAt: MonotonicTime {
    let missing = max(worth * 1000 - stored, 0)
    let wait = missing / bytesPerSecond + (missing % bytesPerSecond == 0 ? 0 : 1)
    return countedAt.advanced(byMilliseconds: wait)
  }

}

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
