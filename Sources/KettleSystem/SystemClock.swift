import Glibc
import KettleModel

extension Moment {
  /// Reads both clocks of the machine.
  package static func now() -> Moment { Moment(monotonic: .now(), wall: .now()) }
}

extension MonotonicTime {
  /// Reads CLOCK_BOOTTIME, which includes the time that the machine was suspended: a retry that is
  /// due stays due (clock_gettime(2)).
  package static func now() -> MonotonicTime {
    MonotonicTime(milliseconds: clockMilliseconds(CLOCK_BOOTTIME))
  }
}

extension WallTime {
  /// Reads CLOCK_REALTIME.
  package static func now() -> WallTime {
    WallTime(millisecondsSince1970: clockMilliseconds(CLOCK_REALTIME))
  }
}

extension LocalZone {
  /// The time zone of the machine as it is at the time of the question, or of the variable TZ
  /// (tzset(3)).
  package static let system = LocalZone { time in
    // localtime_r(3) alone keeps the zone of its first call.
    tzset()
    var seconds = time_t(time.millisecondsSince1970 / 1000)
    var local = tm()
    guard localtime_r(&seconds, &local) != nil else { return 0 }
    return Int64(local.tm_gmtoff)
  }
}

private func clockMilliseconds(_ clock: clockid_t) -> Int64 {
  var time = timespec()
  guard clock_gettime(clock, &time) == 0 else { return 0 }
  return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}
