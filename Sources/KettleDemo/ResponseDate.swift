import Glibc

/// The date of a reply (RFC 9110, section 5.6.7), in English regardless of the locale.
enum ResponseDate {
  static func now() -> String {
    text(secondsSince1970: time(nil))
  }

  static func text(secondsSince1970: Int) -> String {
    var seconds = secondsSince1970
    var parts = tm()
    guard gmtime_r(&seconds, &parts) != nil else { return "Thu, 01 Jan 1970 00:00:00 GMT" }
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    return "\(days[Int(parts.tm_wday)]), \(twoDigits(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
      + "\(parts.tm_year + 1900) \(twoDigits(parts.tm_hour)):\(twoDigits(parts.tm_min)):"
      + "\(twoDigits(parts.tm_sec)) GMT"
  }

  private static func twoDigits(_ number: Int32) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
