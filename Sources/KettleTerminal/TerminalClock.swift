import Glibc
import KettleModel
import KettleSystem

/// The clock of the loop that owns the terminal.
enum TerminalClock {
  static func now() -> Moment { .now() }

  static func utcOffsetSeconds(at time: WallTime) -> Int {
    var seconds = time_t(time.millisecondsSince1970 / 1000)
    var parts = tm()
    // localtime_r(3) alone keeps the zone of its first call.
    tzset()
    return localtime_r(&seconds, &parts) == nil ? 0 : parts.tm_gmtoff
  }
}
