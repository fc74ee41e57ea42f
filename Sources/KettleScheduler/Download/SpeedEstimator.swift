import KettleModel

/// How fast bytes arrive: the rate of the last seconds, the latest weighing most.
///
/// Each sample moves the estimate by 1 − e^(−t/τ) towards the rate since the previous
/// sample. A τ of 3 s is quick enough to show a change and slow enough to be read; estimates of
/// longer times use a longer one. Before τ has passed it is the mean of all, so that the first
/// sample does not count for more than its time.
package struct SpeedEstimator: Sendable, Hashable {
  private struct Sample: Sendable, Hashable {
    var byteCount: Int64
    var at: MonotonicTime
  }

  private var last: Sample?
  private var firstAt: MonotonicTime?
  /// Bytes per second; nil before the second sample.
  private var rate: Double?

  private let timeConstantMilliseconds: Double

  package init(timeConstantMilliseconds: Double = 3000) {
    self.timeConstantMilliseconds = timeConstantMilliseconds
  }

  package var bytesPerSecond: Int64 { Int64((rate ?? 0).rounded()) }

  /// Adds a sample: the count of all bytes so far. A lower count than before restarts the estimate.
  package mutating func sample(byteCount: Int64, at now: MonotonicTime) {
    guard let before = last, byteCount >= before.byteCount else {
      self = SpeedEstimator(timeConstantMilliseconds: timeConstantMilliseconds)
      last = Sample(byteCount: byteCount, at: now)
      firstAt = now
      return
    }
    let elapsed = now.milliseconds(since: before.at)
    guard elapsed > 0 else { return }
    let current = Double(byteCount - before.byteCount) * 1000 / Double(elapsed)
    let age = Double(now.milliseconds(since: firstAt ?? before.at))
    let weight =
      age < timeConstantMilliseconds
      ? Double(elapsed) / age
      : 1 - Self.exponential(-Double(elapsed) / timeConstantMilliseconds)
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

/// How fast a transfer is in the long run: over half a minute, so that its time of completion stays
/// the same while bytes arrive in bursts.
package struct PaceEstimator: Sendable, Hashable {
  /// A younger transfer has no pace.
  static let youngMilliseconds: Int64 = 10_000
  /// A transfer that has received nothing for this long has no pace.
  static let silentMilliseconds: Int64 = 30_000
  private static let timeConstantMilliseconds = 30_000.0

  private var speed = SpeedEstimator(timeConstantMilliseconds: Self.timeConstantMilliseconds)
  private var byteCount: Int64?
  private var beganAt: MonotonicTime?
  private var arrivedAt: MonotonicTime?

  package init() {}

  /// Adds a sample: the count of all bytes so far. The time between two bursts counts when the
  /// second one arrives.
  package mutating func sample(byteCount: Int64, at now: MonotonicTime) {
    guard byteCount != self.byteCount else { return }
    if byteCount < self.byteCount ?? 0 { self = PaceEstimator() }
    self.byteCount = byteCount
    beganAt = beganAt ?? now
    arrivedAt = now
    speed.sample(byteCount: byteCount, at: now)
  }

  package func pace(at now: MonotonicTime) -> RunningPace {
    guard let beganAt, let arrivedAt else { return .unknown }
    if now.milliseconds(since: arrivedAt) >= Self.silentMilliseconds { return .silent }
    guard now.milliseconds(since: beganAt) >= Self.youngMilliseconds else { return .unknown }
    return .bytesPerSecond(speed.bytesPerSecond)
  }
}

/// How fast a running transfer is in the long run.
package enum RunningPace: Sendable, Hashable {
  /// It has not run for long enough.
  case unknown
  case bytesPerSecond(Int64)
  /// Nothing arrives.
  case silent

  /// Whole seconds until `missing` bytes have arrived; nil if nothing arrives.
  ///
  /// - Parameters:
  ///   - limit: the transfer's own. One that is nearly used is the pace.
  ///   - speed: the present speed, while the pace is unknown.
  package func secondsLeft(
    missing: Int64, limit: Int64?, speed: SpeedEstimator
  ) -> Int64? {
    switch self {
    case .unknown: return speed.secondsLeft(missing: missing)
    case .silent: return nil
    case .bytesPerSecond(let measured):
      let isLimited = limit.map { Double(measured) >= Double($0) * SpeedJudgement.usedPart }
      let pace = isLimited == true ? limit ?? measured : measured
      guard pace > 0, missing >= 0 else { return nil }
      let seconds = missing / pace + (missing % pace > 0 ? 1 : 0)
      return seconds < 1_000_000_000 ? seconds : nil
    }
  }
}

/// How many bytes arrived in each of the last seconds in which a transfer ran.
///
/// It has no clock of its own: each sample brings its time.
package struct SpeedHistory: Sendable, Hashable {
  private struct Second: Sendable, Hashable {
    var number: Int64
    var byteCount: Int64
    /// The count of all bytes so far, for the next sample.
    var total: Int64
  }

  /// Without the current second.
  package private(set) var seconds: [Int64] = []
  private var open: Second?

  package static let secondCountMax = 300

  package init() {}

  /// Adds a sample: the count of all bytes so far. Bytes since the previous sample count for the
  /// second of this one.
  package mutating func sample(byteCount: Int64, at now: MonotonicTime) {
    let number = now.milliseconds / 1000
    guard var second = open else {
      open = Second(number: number, byteCount: 0, total: byteCount)
      return
    }
    let (more, overflow) = byteCount.subtractingReportingOverflow(second.total)
    second.total = byteCount
    if number > second.number {
      close(second, followedBy: number - second.number - 1)
      second.number = number
      second.byteCount = 0
    }
    // A lower count than before belongs to another start.
    if more > 0, !overflow { second.byteCount += min(more, .max - second.byteCount) }
    open = second
  }

  /// Nothing arrives for a while: the time until the next sample does not count.
  package mutating func rest() {
    if let open { close(open, followedBy: 0) }
    open = nil
  }

  private mutating func close(_ second: Second, followedBy emptyCount: Int64) {
    seconds.append(second.byteCount)
    let empty = Int(min(max(emptyCount, 0), Int64(Self.secondCountMax)))
    seconds += Array(repeating: 0, count: empty)
    let tooMany = seconds.count - Self.secondCountMax
    if tooMany > 0 { seconds.removeFirst(tooMany) }
  }
}

/// How many bytes of a download were present at which time, for rates over any recent span.
struct ArrivalHistory: Sendable, Hashable {
  private struct Mark: Sendable, Hashable {
    var at: MonotonicTime
    var byteCount: Int64
  }

  private var marks: [Mark] = []

  /// Older marks are dropped.
  static let keptMilliseconds: Int64 = 5000
  /// Marks closer together than this add nothing.
  static let stepMilliseconds: Int64 = 5

  mutating func record(_ byteCount: Int64, at now: MonotonicTime) {
    if let last = marks.last {
      guard now.milliseconds(since: last.at) >= Self.stepMilliseconds else { return }
    }
    // Bytes that two connections deliver count once, so the number may seem to shrink.
    marks.append(Mark(at: now, byteCount: max(byteCount, marks.last?.byteCount ?? byteCount)))
    let oldest = now.advanced(byMilliseconds: -Self.keptMilliseconds)
    let outdatedCount = marks.prefix { $0.at < oldest }.count
    // One mark before the span stays, so that a rate over the whole span is known.
    if outdatedCount > 16 { marks.removeFirst(outdatedCount - 1) }
  }

  /// Bytes per second in the span that ended `agoMilliseconds` before the last mark. Before the
  /// first mark nothing arrived.
  func rate(over spanMilliseconds: Int64, endedAgo agoMilliseconds: Int64 = 0) -> Int64 {
    guard let last = marks.last, spanMilliseconds > 0 else { return 0 }
    let end = last.at.advanced(byMilliseconds: -agoMilliseconds)
    let count = byteCount(at: end) - byteCount(at: end.advanced(byMilliseconds: -spanMilliseconds))
    return max(0, count) * 1000 / spanMilliseconds
  }

  /// Bytes per second in the span up to the last mark, or since the first one if that is shorter.
  func rate(overAtMost spanMilliseconds: Int64) -> Int64 {
    guard let first = marks.first, let last = marks.last else { return 0 }
    return rate(over: min(spanMilliseconds, last.at.milliseconds(since: first.at)))
  }

  /// The number of bytes at a time, interpolated between two marks.
  private func byteCount(at time: MonotonicTime) -> Int64 {
    guard let next = marks.firstIndex(where: { $0.at >= time }) else {
      return marks.last?.byteCount ?? 0
    }
    guard next > 0 else { return marks[next].byteCount }
    let (before, after) = (marks[next - 1], marks[next])
    let span = after.at.milliseconds(since: before.at)
    guard span > 0 else { return after.byteCount }
    let part = Double(time.milliseconds(since: before.at)) / Double(span)
    return before.byteCount + Int64(Double(after.byteCount - before.byteCount) * part)
  }
}
