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
