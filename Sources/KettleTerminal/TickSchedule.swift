import KettleModel

/// When the dashboard ticks next.
struct TickSchedule: Sendable {
  private var dueAt: MonotonicTime?

  /// Returns whether a tick is due, which then is no longer pending.
  mutating func takeIfDue(at now: MonotonicTime) -> Bool {
    guard let dueAt, dueAt <= now else { return false }
    self.dueAt = nil
    return true
  }

  /// Requests a tick, or none. A pending tick stays if it is earlier: what happens more often than
  /// the dashboard ticks must not put it off.
  mutating func request(afterMilliseconds milliseconds: Int64?, at now: MonotonicTime) {
    let next = milliseconds.map { now.advanced(byMilliseconds: $0) }
    dueAt = next.map { min(dueAt ?? $0, $0) }
  }

  /// Returns the time until the tick; nil without one.
  func milliseconds(from now: MonotonicTime) -> Int64? {
    dueAt.map { max(0, $0.milliseconds(since: now)) }
  }
}
