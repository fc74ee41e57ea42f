import KettleModel

/// The total speed of all transfers in the last ten minutes, one sample per second.
package struct TotalSpeedHistory: Hashable, Sendable {
  package static let countMax = 600
  static let intervalMilliseconds: Int64 = 1000

  /// The newest last.
  package private(set) var samples: [Int64] = []
  /// The number of all samples so far.
  private var count = 0
  private var lastAt: MonotonicTime?
  /// The upper end of a scale for the last minutes. It grows at once, and shrinks within seconds.
  package private(set) var top: Int64 = 0

  /// The samples that the scale is for.
  private static let scaledCount = 180

  package init() {}

  package mutating func record(_ bytesPerSecond: Int64, at now: MonotonicTime) {
    let speed = max(0, bytesPerSecond)
    guard let lastAt else {
      append(speed)
      self.lastAt = now
      return
    }
    let passed = now.milliseconds(since: lastAt)
    if passed < Self.intervalMilliseconds {
      if let last = samples.indices.last { samples[last] = speed }
      top = max(top, SpeedGraph.ceiling(of: [speed]))
      return
    }
    if passed > 10 * Self.intervalMilliseconds {
      // While nothing is received nothing is recorded. Otherwise the dashboard was suspended, and
      // the speeds in between are unknown.
      let seconds = Int(min(passed / Self.intervalMilliseconds, Int64(Self.countMax)))
      if samples.last == 0 {
        for _ in 1..<seconds { append(0) }
      } else {
        samples.removeAll()
      }
    }
    append(speed)
    self.lastAt = now
  }

  private mutating func append(_ speed: Int64) {
    samples.append(speed)
    count += 1
    if samples.count > Self.countMax { samples.removeFirst(samples.count - Self.countMax) }
    let wanted = SpeedGraph.ceiling(of: samples.suffix(Self.scaledCount))
    top = max(wanted, top / 4 * 3)
  }

  /// The samples, the last one twice if they do not make pairs. A picture with a column for each
  /// pair therefore moves every two seconds only.
  var paired: [Int64] { count.isMultiple(of: 2) ? samples : samples + samples.suffix(1) }

  /// Whether anything was received in the last seconds.
  package var isMoving: Bool { samples.suffix(12).contains { $0 > 0 } }
}
