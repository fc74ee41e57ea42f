import KettleModel

/// What a server says of the requests that it still permits.
///
/// Read are `RateLimit: "name";r=0;t=30`, which lists limits with the requests that remain and the
/// seconds until more are permitted (draft-ietf-httpapi-ratelimit-headers-10, section 4), as
/// Hugging Face sends it (https://huggingface.co/docs/hub/rate-limits), and the pair of fields
/// before it, `RateLimit-Remaining` and `RateLimit-Reset`, with or without `X-`.
enum RateLimit {
  /// Returns how long the server permits no request; nil if it permits one or does not say.
  static func pauseMilliseconds(_ head: ResponseHead, at now: Moment) -> Int64? {
    let listed = head.values(of: "RateLimit").flatMap(items).compactMap(secondsIfSpent)
    let seconds =
      listed.max() ?? pair("RateLimit", head, at: now) ?? pair("X-RateLimit", head, at: now)
    guard let seconds, seconds > 0 else { return nil }
    let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return overflow ? .max : milliseconds
  }

  /// The items of a list, without the commas in their quoted names (RFC 9651, section 3.1).
  private static func items(_ value: String) -> [Substring] {
    var isQuoted = false
    return value.split { character in
      if character == "\"" { isQuoted.toggle() }
      return character == "," && !isQuoted
    }
  }

  /// The seconds until an item permits requests again; nil if some remain.
  private static func secondsIfSpent(_ item: Substring) -> Int64? {
    var values: [Substring: Int64] = [:]
    var isQuoted = false
    let parts = item.split { character in
      if character == "\"" { isQuoted.toggle() }
      return character == ";" && !isQuoted
    }
    for parameter in parts.dropFirst() {
      let sides = parameter.split(separator: "=", omittingEmptySubsequences: false)
      if sides.count == 2 { values[sides[0].trimmed] = DecimalDigits.int64(sides[1].trimmed) }
    }
    return values["r"] == 0 ? values["t"] : nil
  }

  /// Some servers give the time of the reset in seconds since 1970, others the seconds until then.
  private static func pair(_ name: String, _ head: ResponseHead, at now: Moment) -> Int64? {
    func number(_ field: String) -> Int64? {
      head.value(of: name + field).flatMap { DecimalDigits.int64($0.trimmed) }
    }
    guard number("-Remaining") == 0, let reset = number("-Reset") else { return nil }
    guard reset > secondsOfDatesMin else { return reset }
    let date = head.value(of: "Date").flatMap(HTTPDate.parse) ?? now.wall
    return reset - date.millisecondsSince1970 / 1000
  }

  private static let secondsOfDatesMin: Int64 = 1_000_000_000
}
