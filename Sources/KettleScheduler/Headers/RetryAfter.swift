import KettleModel

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
