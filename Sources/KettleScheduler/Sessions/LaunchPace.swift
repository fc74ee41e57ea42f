import KettleModel

/// How often a program may be launched. Each launch brings a pause before the next, twice as long
/// as the one before, so that a program that makes a new task whenever it is started, and ends,
/// does not keep the machine busy for ever.
struct LaunchPace: Sendable, Hashable {
  private var count = 0
  private var lastLaunchAt: MonotonicTime?
  /// Leads the process session of the launched program.
  private var processID: Int64?

  static let pauseMillisecondsMin: Int64 = 1000
  static let pauseMillisecondsMax: Int64 = 600_000
  /// After so long without a launch the next ones have no pause.
  static let forgettingMilliseconds: Int64 = 3_600_000
  /// Who connects so soon after a launch is not taken for a program that a person started: a
  /// launched one that goes into the background leaves its process session.
  static let arrivalMilliseconds: Int64 = 5000

  /// No launch before then; nil when there was none.
  var nextLaunchAt: MonotonicTime? {
    guard count > 0 else { return nil }
    // One shift more would be over the longest pause already.
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

  /// A program connected. One that a person started may count on being launched at once again.
  mutating func connected(_ holder: SessionHolder, at now: MonotonicTime) {
    if let processID, holder.processSession == processID { return }
    if let lastLaunchAt, now.milliseconds(since: lastLaunchAt) < Self.arrivalMilliseconds { return }
    self = LaunchPace()
  }
}
