/// Dates in headers, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
package enum HTTPDate {
  /// 1970-01-01, the first day of the epoch, was a Thursday.
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Formats a time since 1970.
  package static func text(_ time: WallTime) -> String {
    let date = time.inUTC
    let day = days[Int(max(0, time.daysSince1970) % 7)]
    let month = months[Int(date.month) - 1]
    return "\(day), \(padded(date.day)) \(month) \(date.year) "
      + "\(padded(date.hour)):\(padded(date.minute)):\(padded(date.second)) GMT"
  }

  private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// Parses the current form and the two obsolete ones, as RFC 9110 requires. Returns nil for
  /// anything else.
  package static func parse(_ text: String) -> WallTime? {
    let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
    // asctime: Sun Nov  6 08:49:37 1994
    if words.count == 5, let time = time(words[3]) {
      return date(day: words[2], month: words[1], year: words[4], time)
    }
    // Sun, 06 Nov 1994 08:49:37 GMT and Sunday, 06-Nov-94 08:49:37 GMT
    guard words.count == 6, words[5] == "GMT" || words[5] == "UTC", let time = time(words[4]) else {
      return nil
    }
    return date(day: words[1], month: words[2], year: words[3], time)
  }

  private static func time(_ text: String) -> (hour: Int64, minute: Int64, second: Int64)? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let hour = DecimalDigits.int64(parts[0]),
      let minute = DecimalDigits.int64(parts[1]), let second = DecimalDigits.int64(parts[2])
    else { return nil }
    return (hour, minute, second)
  }

  private static func date(
    day: String, month: String, year: String, _ time: (hour: Int64, minute: Int64, second: Int64)
  ) -> WallTime? {
    guard let day = DecimalDigits.int64(day[...]), var year = DecimalDigits.int64(year[...]),
      let month = months.firstIndex(where: { $0.lowercased() == month.lowercased() })
    else { return nil }
    // Two-digit years belong to the nearest century: 70 and later mean 19xx.
    if year < 100 { year += year < 70 ? 2000 : 1900 }
    return WallTime(
      year: year, month: Int64(month) + 1, day: day, hour: time.hour, minute: time.minute,
      second: time.second)
  }
}
