import KettleModel

/// The total speed of all transfers in recent seconds, one sample per second.
package struct TotalSpeedHistory: Hashable, Sendable {
  package static let countMax = 12
  static let intervalMilliseconds: Int64 = 1000

  /// The newest last.
  package private(set) var samples: [Int64] = []
  private var lastAt: MonotonicTime?

  package init() {}

  package mutating func record(_ bytesPerSecond: Int64, at now: MonotonicTime) {
    let speed = max(0, bytesPerSecond)
    guard let lastAt else {
      samples = [speed]
      self.lastAt = now
      return
    }
    let passed = now.milliseconds(since: lastAt)
    if passed < Self.intervalMilliseconds {
      if let last = samples.indices.last { samples[last] = speed }
      return
    }
    // The dashboard was suspended for a while: the speeds in between are unknown.
    if passed > 10 * Self.intervalMilliseconds { samples.removeAll() }
    samples.append(speed)
    if samples.count > Self.countMax { samples.removeFirst(samples.count - Self.countMax) }
    self.lastAt = now
  }

  package var isMoving: Bool { samples.contains { $0 > 0 } }
}
