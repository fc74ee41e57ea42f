import KettleModel

/// Limits how often a program may be launched. Each launch doubles the pause before the next, so a
/// program that creates a new task at every start and exits does not keep the machine busy.
struct LaunchPace: Sendable, Hashable {
  private var count = 0
  private var lastLaunchAt: MonotonicTime?
  /// The leader of the launched program's process session.
  private var processID: Int64?

  static let pauseMillisecondsMin: Int64 = 1000
  static let pauseMillisecondsMax: Int64 = 600_000
  /// After this long without a launch, the next one has no pause.
  static let forgettingMilliseconds: Int64 = 3_600_000
  /// A program that connects this soon after a launch does not count as started by the user: a
  /// launched one that goes into the background leaves its process session.
  static let arrivalMilliseconds: Int64 = 5000

  /// The earliest time of the next launch; nil when there was none.
  var nextLaunchAt: MonotonicTime? {
    guard count > 0 else { return nil }
    // Ten doublings exceed the longest pause.
    let pause = Self.pauseMillisecondsMin << min(count - 1, 10)
    return lastLaunchAt?.advanced(byMilliseconds: min(pause, Self.pauseMillisecondsMax))
  }

  mutating func launched(at now: MonotonicTime) {
    if let lastLaunchAt, now.milliseconds(since: lastLaunchAt) >= Self.forgettingMilliseconds {
      count = 0
    }
    count = min(count + 1, Int(UInt8.max))
    lastLaunchAt = now
    processID = nil
  }

  mutating func started(processID: Int64) { self.processID = processID }

  /// Records that a program connected. If the user started it, the next launch has no pause.
  mutating func connected(_ holder: SessionHolder, at now: MonotonicTime) {
    if let processID, holder.processSession == processID { return }
    if let lastLaunchAt, now.milliseconds(since: lastLaunchAt) < Self.arrivalMilliseconds { return }
    self = LaunchPace()
  }
}
