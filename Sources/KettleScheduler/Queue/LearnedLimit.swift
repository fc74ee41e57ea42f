import KettleModel

/// How many connections a host accepts, as its refusals have shown.
///
/// The limit rises by one with every 30 seconds without a refusal. It is over when it exceeds the
/// number of connections that were open at the refusal.
package struct LearnedLimit: Sendable, Hashable {
  /// After the last refusal.
  private let connectionsMaxAtRefusal: Int
  /// The most connections that were open when one was refused.
  package let triedCount: Int
  /// The status of the last refusal; nil for a connection refused without a response.
  package let status: Int?
  /// The time of the first refusal.
  package let since: WallTime
  /// The time of the last one.
  private let refusedAt: MonotonicTime

  static let riseMilliseconds: Int64 = 30_000

  init(
    connectionsMax: Int, triedCount: Int, status: Int?, since: WallTime, refusedAt: MonotonicTime
  ) {
    connectionsMaxAtRefusal = connectionsMax
    self.triedCount = triedCount
    self.status = status
    self.since = since
    self.refusedAt = refusedAt
  }

  private func riseCount(at now: MonotonicTime) -> Int {
    let count = max(0, now.milliseconds(since: refusedAt)) / Self.riseMilliseconds
    // More than any host has connections, and far from overflowing.
    return Int(min(count, 1 << 20))
  }

  package func connectionsMax(at now: MonotonicTime) -> Int {
    connectionsMaxAtRefusal + riseCount(at: now)
  }

  package func isOver(at now: MonotonicTime) -> Bool {
    riseCount(at: now) > triedCount - connectionsMaxAtRefusal
  }

  func nextRise(after now: MonotonicTime) -> MonotonicTime {
    let count = Int64(riseCount(at: now)) + 1
    return refusedAt.advanced(byMilliseconds: count * Self.riseMilliseconds)
  }
}
