import Glibc
import KettleModel

extension LocalZone {
  /// The time zone of the machine, or of the variable TZ (tzset(3)).
  package static let system = LocalZone { time in
    var seconds = time_t(time.millisecondsSince1970 / 1000)
    var local = tm()
    guard localtime_r(&seconds, &local) != nil else { return 0 }
    return Int64(local.tm_gmtoff)
  }
}
