import KettleModel

/// Dates in headers: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7). The two obsolete
/// forms are accepted too, as the RFC requires.
package enum HTTPDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

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
      let month = months.firstIndex(of: month.lowercased())
    else { return nil }
    // Two-digit years belong to the nearest century: 70 and later mean 19xx.
    if year < 100 { year += year < 70 ? 2000 : 1900 }
    return WallTime(
      year: year, month: Int64(month) + 1, day: day, hour: time.hour, minute: time.minute,
      second: time.second)
  }
}

/// A `Retry-After` header (RFC 9110, section 10.2.3), as a wait from now.
package struct RetryAfter: Sendable, Hashable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The wait, at most one day.
  package var boundedMilliseconds: Int64 {
    min(max(milliseconds, 0), RetryPolicy.waitMillisecondsMax)
  }

  /// Parses seconds or a date. A date is measured from the server's own `Date`, because its clock
  /// and ours may differ. Returns nil for an invalid value; a past date means now.
  package init?(_ head: ResponseHead, at now: Moment) {
    guard let value = head.value(of: "Retry-After") else { return nil }
    let text = value.trimmed
    if let seconds = DecimalDigits.int64(text) {
      let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
      self.milliseconds = overflow ? .max : milliseconds
      return
    }
    guard let date = HTTPDate.parse(String(text)) else { return nil }
    let reference = head.value(of: "Date").flatMap(HTTPDate.parse) ?? now.wall
    milliseconds = max(0, date.millisecondsSince1970 - reference.millisecondsSince1970)
  }
}
