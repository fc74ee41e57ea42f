/// Parses a TIME: ISO 8601 with or without a time zone, or an offset from now such as `+90m`.
///
/// Without a zone it is local time. A date alone means midnight, in local time.
package enum TimeText {
  /// Returns nil if the text is not a time or the date does not exist.
  ///
  /// - Parameter local: Converts local time; returns nil for a time that does not exist, as when
  ///   clocks are set forward.
  package static func parse(
    _ text: String, now: WallTime, local: (CivilTime) -> WallTime?
  ) -> WallTime? {
    if text.hasPrefix("+") {
      guard let milliseconds = Self.milliseconds(text.dropFirst()) else { return nil }
      return now.advanced(byMilliseconds: milliseconds)
    }
    var reader = DigitReader(text)
    guard let (time, hasTimeOfDay) = civilTime(&reader) else { return nil }
    if reader.isAtEnd { return local(time) }
    guard hasTimeOfDay, let offset = zoneOffsetMinutes(&reader), reader.isAtEnd else { return nil }
    return time.inUTC?.advanced(byMilliseconds: -offset * 60_000)
  }

  /// Converts `45s`, `90m`, `2h` or `1d` to milliseconds.
  package static func milliseconds(_ text: some StringProtocol) -> Int64? {
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
    // Nine digits are enough for any date and cannot overflow.
    guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let count = Int64(digits)
    else { return nil }
    return count * unit
  }

  private static func civilTime(_ reader: inout DigitReader) -> (CivilTime, hasTimeOfDay: Bool)? {
    guard let year = reader.number(digitCount: 4), reader.skip("-"),
      let month = reader.number(digitCount: 2),
      reader.skip("-"), let day = reader.number(digitCount: 2)
    else { return nil }
    var time = CivilTime(year: year, month: month, day: day)
    guard reader.skip("T") || reader.skip("t") || reader.skip(" ") else { return (time, false) }
    guard let hour = reader.number(digitCount: 2), reader.skip(":"),
      let minute = reader.number(digitCount: 2)
    else {
      return nil
    }
    time.hour = hour
    time.minute = minute
    if reader.skip(":") {
      guard let second = reader.number(digitCount: 2) else { return nil }
      time.second = second
      if reader.skip("."), !reader.skipDigits() { return nil }
    }
    return (time, true)
  }

  /// Parses `Z`, `+02:00`, `+0200` or `+02`; returns minutes east of UTC.
  private static func zoneOffsetMinutes(_ reader: inout DigitReader) -> Int64? {
    if reader.skip("Z") || reader.skip("z") { return 0 }
    let sign: Int64
    if reader.skip("+") { sign = 1 } else if reader.skip("-") { sign = -1 } else { return nil }
    guard let hours = reader.number(digitCount: 2), hours < 24 else { return nil }
    if reader.isAtEnd { return sign * hours * 60 }
    _ = reader.skip(":")
    guard let minutes = reader.number(digitCount: 2), minutes < 60 else { return nil }
    return sign * (hours * 60 + minutes)
  }
}

/// Consumes fixed numbers of digits and single characters from the start of a text.
private struct DigitReader {
  private var rest: Substring

  init(_ text: String) { rest = text[...] }

  var isAtEnd: Bool { rest.isEmpty }

  /// Consumes exactly `digitCount` digits.
  mutating func number(digitCount: Int) -> Int64? {
    let digits = rest.prefix(digitCount)
    guard digits.utf8.count == digitCount, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    rest = rest.dropFirst(digitCount)
    return Int64(digits)
  }

  /// Consumes the character if it comes next; returns whether it did.
  mutating func skip(_ character: Character) -> Bool {
    guard rest.first == character else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Consumes digits; returns whether there was at least one.
  mutating func skipDigits() -> Bool {
    let digits = rest.prefix { ("0"..."9").contains($0) }
    rest = rest[digits.endIndex...]
    return !digits.isEmpty
  }
}
