/// Reads a TIME: ISO 8601 with or without a zone, or a distance from now such as `+90m`.
///
/// Without a zone it is local time; a date alone is its first moment, in local time.
package enum TimeText {
  /// nil when the text is no time, or is a date that the calendar does not have.
  ///
  /// - Parameter local: The moment at which the user's clock shows a time; nil when it never does.
  package static func parse(
    _ text: String, now: WallTime, local: (CivilTime) -> WallTime?
  ) -> WallTime? {
    if text.hasPrefix("+") {
      guard let milliseconds = distance(text.dropFirst()) else { return nil }
      return now.advanced(byMilliseconds: milliseconds)
    }
    var reader = DigitReader(text)
    guard let (time, hasTimeOfDay) = civilTime(&reader) else { return nil }
    if reader.isAtEnd { return local(time) }
    guard hasTimeOfDay, let offset = zoneOffsetMinutes(&reader), reader.isAtEnd else { return nil }
    return time.inUTC?.advanced(byMilliseconds: -offset * 60_000)
  }

  /// `90m`, `2h`, `1d`, `45s` in milliseconds.
  private static func distance(_ text: Substring) -> Int64? {
    guard let letter = text.last else { return nil }
    let unit: Int64
    switch letter {
    case "s": unit = 1000
    case "m": unit = 60_000
    case "h": unit = 3_600_000
    case "d": unit = 86_400_000
    default: return nil
    }
    let digits = text.dropLast()
    // Nine digits of days are longer than the calendar, and their product still fits.
    guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let count = Int64(digits)
    else { return nil }
    return count * unit
  }

  private static func civilTime(_ reader: inout DigitReader) -> (CivilTime, hasTimeOfDay: Bool)? {
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2),
      reader.take("-"), let day = reader.number(2)
    else { return nil }
    var time = CivilTime(year: year, month: month, day: day)
    guard reader.take("T") || reader.take("t") || reader.take(" ") else { return (time, false) }
    guard let hour = reader.number(2), reader.take(":"), let minute = reader.number(2) else {
      return nil
    }
    time.hour = hour
    time.minute = minute
    if reader.take(":") {
      guard let second = reader.number(2) else { return nil }
      time.second = second
      if reader.take("."), !reader.skipDigits() { return nil }
    }
    return (time, true)
  }

  /// Minutes east of UTC: `Z`, `+02:00`, `+0200`, `+02`.
  private static func zoneOffsetMinutes(_ reader: inout DigitReader) -> Int64? {
    if reader.take("Z") || reader.take("z") { return 0 }
    let sign: Int64
    if reader.take("+") { sign = 1 } else if reader.take("-") { sign = -1 } else { return nil }
    guard let hours = reader.number(2), hours < 24 else { return nil }
    if reader.isAtEnd { return sign * hours * 60 }
    _ = reader.take(":")
    guard let minutes = reader.number(2), minutes < 60 else { return nil }
    return sign * (hours * 60 + minutes)
  }
}

/// Takes fixed numbers of digits and single letters off the front of a text.
private struct DigitReader {
  private var rest: Substring

  init(_ text: String) { rest = text[...] }

  var isAtEnd: Bool { rest.isEmpty }

  /// Exactly `count` digits.
  mutating func number(_ count: Int) -> Int64? {
    let digits = rest.prefix(count)
    guard digits.utf8.count == count, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    rest = rest.dropFirst(count)
    return Int64(digits)
  }

  mutating func take(_ character: Character) -> Bool {
    guard rest.first == character else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Whether there was at least one.
  mutating func skipDigits() -> Bool {
    let digits = rest.prefix { ("0"..."9").contains($0) }
    rest = rest[digits.endIndex...]
    return !digits.isEmpty
  }
}
