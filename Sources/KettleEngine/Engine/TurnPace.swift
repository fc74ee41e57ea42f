import KettleModel

/// When the engine handles all running transfers at once: at ticks, and when the scheduler wants to
/// be woken. Both cost time for each transfer, so they are rarer the more transfers run. Otherwise
/// their cost per second would grow with the square of that number.
struct TurnPace: Sendable, Hashable {
  var cadence = ProgressCadence.quiet
  private var wokenAt: MonotonicTime?

  /// Up to this many running transfers, wake-ups are exact.
  static let exactCountMax = 32
  static let tickMillisecondsMax: Int64 = 1000

  func nextTick(runningCount: Int, at now: MonotonicTime) -> MonotonicTime {
    let share: Int64 =
      switch cadence {
      case .live: 4
      case .quiet: 1
      }
    let milliseconds = max(cadence.milliseconds, Int64(runningCount) / share)
    return now.advanced(byMilliseconds: min(milliseconds, Self.tickMillisecondsMax))
  }

  /// Returns when the scheduler is woken if it wants to be woken at `wanted`.
  func wakeUp(wanted: MonotonicTime, runningCount: Int) -> MonotonicTime {
    guard let wokenAt, runningCount > Self.exactCountMax else { return wanted }
    return max(wanted, wokenAt.advanced(byMilliseconds: Int64(runningCount) / 2))
  }

  mutating func woken(at now: MonotonicTime) { wokenAt = now }
}
