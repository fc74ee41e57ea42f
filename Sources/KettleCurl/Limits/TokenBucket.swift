import KettleModel

/// Counts what may be received under one speed limit: bytes come in with the time, up to a small
/// store, and go out as they are taken.
///
/// libcurl's own limit (CURLOPT_MAX_RECV_SPEED_LARGE) is no limit in 7.88: with 1 MB/s, 6 MB came
/// in 0.4 s.
struct TokenBucket {
  /// A rest or a late wake-up is caught up with for so long. Over five seconds that is less than
  /// four in a hundred.
  private static let storeMilliseconds: Int64 = 187
  /// So much time is worth waking up for; of a fast limit, so many bytes are.
  private static let worthMilliseconds: Int64 = 62
  private static let worthByteCountMax: Int64 = 256 * 1024
  /// A petabyte a second; beyond it the sums below could overflow.
  private static let rateMax: Int64 = 1 << 50

  let bytesPerSecond: Int64
  /// Thousandths of a byte: a byte a second is one of them each millisecond.
  private var stored: Int64 = 0
  private var countedAt: MonotonicTime

  /// Starts empty. Answers nil when there is no limit.
  init?(bytesPerSecond: Int64?, at now: MonotonicTime) {
    guard let bytesPerSecond, bytesPerSecond > 0 else { return nil }
    self.bytesPerSecond = min(bytesPerSecond, Self.rateMax)
    countedAt = now
  }

  /// Goes on from `old`: what is stored in it stays, as far as it fits in.
  init?(bytesPerSecond: Int64?, after old: TokenBucket?, at now: MonotonicTime) {
    self.init(bytesPerSecond: bytesPerSecond, at: now)
    guard var old else { return }
    old.count(until: now)
    putBack(old.available)
  }

  /// How many bytes are worth waking up for.
  private var worth: Int64 {
    min(max(bytesPerSecond * Self.worthMilliseconds / 1000, 1), Self.worthByteCountMax)
  }

  /// What it holds at most, in thousandths of a byte; of the slowest limit two bytes, so that the
  /// parts behind the first are not lost.
  private var capacity: Int64 { max(bytesPerSecond * Self.storeMilliseconds, 2000) }

  var available: Int64 { stored / 1000 }

  /// Whether it is worth to let somebody go on.
  var isWorthTaking: Bool { available >= worth }

  /// Adds what the time since the last call brought in.
  mutating func count(until now: MonotonicTime) {
    let elapsed = now.milliseconds(since: countedAt)
    guard elapsed > 0 else { return }
    countedAt = now
    let (gained, isFar) = bytesPerSecond.multipliedReportingOverflow(by: elapsed)
    stored = isFar || gained > capacity - stored ? capacity : stored + gained
  }

  /// Takes what is there, at most all of it.
  mutating func take(_ byteCount: Int64) { stored -= min(max(byteCount, 0), available) * 1000 }

  /// Gets back what was taken and not used.
  mutating func putBack(_ byteCount: Int64) {
    stored += min(max(byteCount, 0), (capacity - stored) / 1000) * 1000
  }

  /// When `isWorthTaking` will hold.
  var worthTakingAt: MonotonicTime {
    let missing = max(worth * 1000 - stored, 0)
    let wait = missing / bytesPerSecond + (missing % bytesPerSecond == 0 ? 0 : 1)
    return countedAt.advanced(byMilliseconds: wait)
  }

}
