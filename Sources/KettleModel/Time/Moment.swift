/// A calendar time: milliseconds since 1970-01-01T00:00:00Z.
///
/// The clock behind it can jump, so it serves for dates that are stored, displayed or received from
/// a server, and never for durations.
public struct WallTime: Hashable, Comparable, Sendable {
  public var millisecondsSince1970: Int64

  public init(millisecondsSince1970: Int64) {
    self.millisecondsSince1970 = millisecondsSince1970
  }

  public static func < (left: WallTime, right: WallTime) -> Bool {
    left.millisecondsSince1970 < right.millisecondsSince1970
  }

  /// Saturates instead of overflowing.
  public func advanced(byMilliseconds milliseconds: Int64) -> WallTime {
    let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
    if overflow { return WallTime(millisecondsSince1970: milliseconds < 0 ? .min : .max) }
    return WallTime(millisecondsSince1970: sum)
  }
}

extension WallTime: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(millisecondsSince1970: try decoder.singleValueContainer().decode(Int64.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(millisecondsSince1970)
  }
}

extension WallTime {
  /// Saturates instead of overflowing: dates from outside can be anything.
  package func milliseconds(after other: WallTime) -> Int64 {
    let (difference, overflow) = millisecondsSince1970.subtractingReportingOverflow(
      other.millisecondsSince1970)
    if overflow { return millisecondsSince1970 < other.millisecondsSince1970 ? .min : .max }
    return difference
  }

  /// Rounded up, and 0 for a time that has passed.
  package func wholeSeconds(after other: WallTime) -> Int64 {
    let milliseconds = max(0, milliseconds(after: other))
    return milliseconds / 1000 + (milliseconds % 1000 > 0 ? 1 : 0)
  }
}

/// Milliseconds since the machine started, including the time it was suspended (CLOCK_BOOTTIME).
/// Never decreases, and has no meaning after a reboot.
public struct MonotonicTime: Hashable, Comparable, Sendable {
  public var milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// Saturates instead of overflowing.
  public func advanced(byMilliseconds count: Int64) -> MonotonicTime {
    let (sum, overflow) = milliseconds.addingReportingOverflow(count)
    if overflow { return MonotonicTime(milliseconds: count < 0 ? .min : .max) }
    return MonotonicTime(milliseconds: sum)
  }

  /// The duration since an earlier time. Saturates instead of overflowing.
  public func milliseconds(since earlier: MonotonicTime) -> Int64 {
    let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
    if overflow { return milliseconds < earlier.milliseconds ? .min : .max }
    return difference
  }
}

/// The time on both clocks, read once for each event that the engine handles, because two readings
/// for one event could disagree.
public struct Moment: Hashable, Sendable {
  public var monotonic: MonotonicTime
  public var wall: WallTime

  public init(monotonic: MonotonicTime, wall: WallTime) {
    self.monotonic = monotonic
    self.wall = wall
  }
}

/// A calendar date and time of day without a time zone.
package struct CivilTime: Hashable, Sendable {
  package var year: Int64
  package var month: Int64
  package var day: Int64
  package var hour: Int64
  package var minute: Int64
  package var second: Int64

  package init(
    year: Int64, month: Int64, day: Int64, hour: Int64 = 0, minute: Int64 = 0, second: Int64 = 0
  ) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// This time read as UTC; nil if the date does not exist.
  package var inUTC: WallTime? {
    WallTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
  }
}

/// How far local time is ahead of UTC at each moment. It changes when clocks are set for summer.
package struct LocalZone: Sendable {
  private let offset: @Sendable (WallTime) -> Int64

  /// - Parameter offset: returns the seconds by which local time is ahead of UTC.
  package init(offsetSeconds offset: @escaping @Sendable (WallTime) -> Int64) {
    self.offset = offset
  }

  package static let utc = LocalZone { _ in 0 }

  package func offsetSeconds(at time: WallTime) -> Int64 { offset(time) }

  /// The minutes since the last Monday began, in local time: 0 to 10,079.
  package func minuteOfWeek(at time: WallTime) -> Int {
    let seconds = Self.floored(time.millisecondsSince1970, by: 1000)
    let (local, overflow) = seconds.addingReportingOverflow(offset(time))
    // 1970 began on a Thursday.
    let week = Int64(WeeklyHours.minutesPerWeek)
    let minutes = Self.floored(overflow ? seconds : local, by: 60) % week
    return Int((minutes + 3 * 1440 + week) % week)
  }

  private static func floored(_ value: Int64, by divisor: Int64) -> Int64 {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

/// ISO 8601 dates in UTC, without a date library, because this target imports none. The day
/// arithmetic uses 400-year eras of 146,097 days each.
extension WallTime {
  /// For example `2026-12-24T18:00:00Z`; omits milliseconds.
  public var iso8601: String {
    let date = inUTC
    return Self.padded(date.year, 4) + "-" + Self.padded(date.month, 2) + "-"
      + Self.padded(date.day, 2) + "T" + Self.padded(date.hour, 2) + ":"
      + Self.padded(date.minute, 2) + ":" + Self.padded(date.second, 2) + "Z"
  }

  /// The date and time of day in UTC; omits milliseconds.
  package var inUTC: CivilTime {
    let date = Self.civil(fromDay: daysSince1970)
    let secondOfDay = secondsSince1970 - daysSince1970 * 86_400
    return CivilTime(
      year: date.year, month: date.month, day: date.day, hour: secondOfDay / 3600,
      minute: secondOfDay % 3600 / 60, second: secondOfDay % 60)
  }

  private var secondsSince1970: Int64 { Self.dividedDown(millisecondsSince1970, by: 1000) }

  var daysSince1970: Int64 { Self.dividedDown(secondsSince1970, by: 86_400) }

  /// Converts a date and time of day in UTC; returns nil if they do not exist.
  public init?(
    year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64
  ) {
    guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    let dayNumber = Self.day(year: year, month: month, day: day)
    // A day that the month does not have (31 June) converts back to another date.
    guard Self.civil(fromDay: dayNumber) == (year, month, day) else { return nil }
    let seconds = dayNumber * 86_400 + hour * 3600 + minute * 60 + second
    self.init(millisecondsSince1970: seconds * 1000)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number.magnitude)
    return (number < 0 ? "-" : "")
      + String(repeating: "0", count: max(0, width - digits.utf8.count))
      + digits
  }

  /// Divides and rounds down, also for negative numbers.
  private static func dividedDown(_ number: Int64, by divisor: Int64) -> Int64 {
    number / divisor - (number % divisor < 0 ? 1 : 0)
  }

  private static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func civil(fromDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = dividedDown(shifted, by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthShifted = (5 * dayOfYear + 2) / 153
    let month = monthShifted + (monthShifted < 10 ? 3 : -9)
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthShifted + 2) / 5 + 1)
  }
}
