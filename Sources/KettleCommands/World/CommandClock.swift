import KettleModel

/// Time for commands: both clocks, waiting, and the local calendar.
package protocol CommandClock: Sendable {
  func now() -> Moment
  /// Returns after the given time, or at once when the task is cancelled.
  func wait(milliseconds: Int64) async
  /// Returns nil when the calendar has no such date.
  func wallTime(ofLocal time: CivilTime) -> WallTime?
  func localTime(of time: WallTime) -> CivilTime?
}

extension TimeText {
  /// Parses a TIME of the command line with this clock and its time zone.
  package static func parse(_ text: String, clock: any CommandClock) -> WallTime? {
    parse(text, now: clock.now().wall, local: clock.wallTime(ofLocal:))
  }
}
