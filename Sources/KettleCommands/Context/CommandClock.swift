import Glibc
import KettleDashboard
import KettleModel
import KettleSystem

/// Time for commands: both clocks, waiting, and the local calendar.
package protocol CommandClock: Sendable {
  func now() -> Moment
  /// Returns after the given time, or at once when the task is cancelled.
  func wait(milliseconds: Int64) async
  /// Returns nil when the calendar has no such date.
  func wallTime(ofLocal time: CivilTime) -> WallTime?
  func localTime(of time: WallTime) -> CivilTime?
}

extension CommandClock {
  /// Times in the local zone as it is at `now`.
  func text(at now: WallTime) -> ClockText {
    let local = localTime(of: now)?.inUTC ?? now
    let seconds = local.millisecondsSince1970 / 1000 - now.millisecondsSince1970 / 1000
    return ClockText(utcOffsetSeconds: Int(seconds))
  }
}

extension TimeText {
  /// Parses a TIME of the command line with this clock and its time zone.
  package static func parse(_ text: String, clock: any CommandClock) -> WallTime? {
    parse(text, now: clock.now().wall, local: clock.wallTime(ofLocal:))
  }
}

/// The clocks and the time zone of this machine.
package struct SystemCommandClock: CommandClock {
  package init() {}

  package func now() -> Moment { .now() }

  package func wait(milliseconds: Int64) async {
    // The only error is cancellation, after which the caller should continue at once.
    try? await ContinuousClock().sleep(for: .milliseconds(max(0, milliseconds)))
  }

  package func wallTime(ofLocal time: CivilTime) -> WallTime? {
    // mktime(3) turns 31 June into 1 July, so check the calendar first.
    guard time.inUTC != nil else { return nil }
    var parts = tm()
    parts.tm_year = Int32(time.year - 1900)
    parts.tm_mon = Int32(time.month - 1)
    parts.tm_mday = Int32(time.day)
    parts.tm_hour = Int32(time.hour)
    parts.tm_min = Int32(time.minute)
    parts.tm_sec = Int32(time.second)
    parts.tm_isdst = -1
    // -1 is also one second before 1970, for which nothing is scheduled.
    let seconds = mktime(&parts)
    return seconds == -1 ? nil : WallTime(millisecondsSince1970: Int64(seconds) * 1000)
  }

  package func localTime(of time: WallTime) -> CivilTime? {
    var seconds = time_t(time.millisecondsSince1970 / 1000)
    var parts = tm()
    // localtime_r(3) alone keeps the zone of its first call.
    tzset()
    guard localtime_r(&seconds, &parts) != nil else { return nil }
    return CivilTime(
      year: Int64(parts.tm_year) + 1900, month: Int64(parts.tm_mon) + 1, day: Int64(parts.tm_mday),
      hour: Int64(parts.tm_hour), minute: Int64(parts.tm_min), second: Int64(parts.tm_sec))
  }
}
