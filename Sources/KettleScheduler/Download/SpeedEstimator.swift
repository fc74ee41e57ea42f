import KettleModel

/// How fast bytes arrive: the rate of the last seconds, the latest weighing most.
///
/// Each sample moves the estimate by 1 − e^(−t/τ) towards the rate since the previous
/// sample, with τ of 3 s: quick enough to show a change, slow enough to be read. Before τ
/// has passed it is the mean of all, so that the first sample does not count for more than
/// its time.
package struct SpeedEstimator: Sendable, Hashable {
  private struct Sample: Sendable, Hashable {
    var byteCount: Int64
    var at: MonotonicTime
  }

  private var last: Sample?
  private var firstAt: MonotonicTime?
  /// Bytes per second; nil before the second sample.
  private var rate: Double?

  package static let timeConstantMilliseconds = 3000.0

  package init() {}

  package var bytesPerSecond: Int64 { Int64((rate ?? 0).rounded()) }

  /// Adds a sample: the count of all bytes so far. A lower count than before restarts the estimate.
  package mutating func sample(byteCount: Int64, at now: MonotonicTime) {
    guard let before = last, byteCount >= before.byteCount else {
      self = SpeedEstimator()
      last = Sample(byteCount: byteCount, at: now)
      firstAt = now
      return
    }
    let elapsed = now.milliseconds(since: before.at)
    guard elapsed > 0 else { return }
    let current = Double(byteCount - before.byteCount) * 1000 / Double(elapsed)
    let age = Double(now.milliseconds(since: firstAt ?? before.at))
    let weight =
      age < Self.timeConstantMilliseconds
      ? Double(elapsed) / age
      : 1 - Self.exponential(-Double(elapsed) / Self.timeConstantMilliseconds)
    rate = rate.map { $0 + (current - $0) * weight } ?? current
    last = Sample(byteCount: byteCount, at: now)
  }

  /// Whole seconds until `missing` bytes have arrived; nil when nothing arrives.
  package func secondsLeft(missing: Int64) -> Int64? {
    guard let rate, rate >= 1, missing >= 0 else { return nil }
    let seconds = (Double(missing) / rate).rounded(.up)
    return seconds < 1e9 ? Int64(seconds) : nil
  }

  /// e^x for x ≤ 0 by squaring the series of a 1024th: the pure core has no math library, and a
  /// speed needs no more than four digits.
  private static func exponential(_ x: Double) -> Double {
    let small = max(x, -50) / 1024
    var result = 1 + small * (1 + small / 2 * (1 + small / 3))
    for _ in 0..<10 { result *= result }
    return result
  }
}
