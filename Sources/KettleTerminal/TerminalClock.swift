import Glibc
import KettleModel

/// The clock of the loop that owns the terminal.
enum TerminalClock {
  static func now() -> Moment {
    Moment(
      monotonic: MonotonicTime(milliseconds: milliseconds(CLOCK_BOOTTIME)),
      wall: WallTime(millisecondsSince1970: milliseconds(CLOCK_REALTIME)))
  }

  static func utcOffsetSeconds(at time: WallTime) -> Int {
    var seconds = time_t(time.millisecondsSince1970 / 1000)
    var parts = tm()
    return localtime_r(&seconds, &parts) == nil ? 0 : parts.tm_gmtoff
  }

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
