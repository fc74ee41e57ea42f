import KettleModel

/// Time as commands need it: both clocks, waiting, and the local calendar.
package protocol CommandClock: Sendable {
  func now() -> Moment
  /// Returns after the time, or at once when the task is cancelled.
  func wait(milliseconds: Int64) async
  /// nil when the calendar has no such date.
  func wallTime(ofLocal time: CivilTime) -> WallTime?
  func localTime(of time: WallTime) -> CivilTime?
}

extension TimeText {
  /// Reads a TIME of the command line by this clock and its time zone.
  package static func parse(_ text: String, clock: any CommandClock) -> WallTime? {
    parse(text, now: clock.now().wall, local: clock.wallTime(ofLocal:))
  }
}
