/// A part of each day, or of some days of the week, in local time.
package struct WeeklyHours: Hashable, Sendable {
  package enum Weekday: String, CaseIterable, Sendable, Codable {
    case monday = "mon"
    case tuesday = "tue"
    case wednesday = "wed"
    case thursday = "thu"
    case friday = "fri"
    case saturday = "sat"
    case sunday = "sun"
  }

  static let minutesPerDay = 1440
  static let minutesPerWeek = 7 * minutesPerDay

  /// The days on which it begins.
  package let days: Set<Weekday>
  /// Minutes from midnight: 0 to 1439.
  package let startMinute: Int
  /// More than 0; it ends on the next day if that is behind midnight.
  package let lengthMinutes: Int

  /// - Parameters:
  ///   - days: empty means every day.
  ///   - start: minutes from midnight.
  ///   - end: minutes from midnight, up to 1440. Before the start, it is on the next day; equal to
  ///     it, the hours last a whole day.
  /// - Returns: nil for minutes that no day has.
  package init?(days: Set<Weekday> = [], from start: Int, until end: Int) {
    guard (0..<Self.minutesPerDay).contains(start), (0...Self.minutesPerDay).contains(end) else {
      return nil
    }
    self.days = days.isEmpty ? Set(Weekday.allCases) : days
    startMinute = start
    lengthMinutes = end > start ? end - start : end + Self.minutesPerDay - start
  }

  /// Reads `01:00-06:00`; an end of `24:00` is midnight.
  package init?(_ text: String, days: Set<Weekday> = []) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let start = Self.minute(parts[0]), let end = Self.minute(parts[1])
    else { return nil }
    self.init(days: days, from: start, until: end)
  }

  private static func minute(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
      parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), hour <= 24, minute < 60,
      hour < 24 || minute == 0
    else { return nil }
    return hour * 60 + minute
  }

  /// `01:00-06:00`, as the configuration file has it.
  package var hoursText: String {
    let end = (startMinute + lengthMinutes) % Self.minutesPerDay
    return Self.text(startMinute) + "-" + (end == 0 ? "24:00" : Self.text(end))
  }

  /// The hours, and the days if they are not every day: `01:00-06:00 sat sun`.
  package var text: String {
    let all = Weekday.allCases
    if days.count == all.count { return hoursText }
    return ([hoursText] + all.filter(days.contains).map(\.rawValue)).joined(separator: " ")
  }

  private static func text(_ minute: Int) -> String {
    func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return twoDigits(minute / 60) + ":" + twoDigits(minute % 60)
  }

  // MARK: Times

  package func contains(_ time: WallTime, in zone: LocalZone) -> Bool {
    contains(minuteOfWeek: zone.minuteOfWeek(at: time))
  }

  private func contains(minuteOfWeek minute: Int) -> Bool {
    starts.contains { start in
      (minute - start + Self.minutesPerWeek) % Self.minutesPerWeek < lengthMinutes
    }
  }

  /// When `contains` changes next: at a boundary, or when clocks are set past one. nil if it never
  /// does.
  package func nextChange(after time: WallTime, in zone: LocalZone) -> WallTime? {
    let now = contains(time, in: zone)
    // The first whole minute after the time.
    let milliseconds = time.millisecondsSince1970
    var next = time.advanced(byMilliseconds: 60_000 - Self.remainder(of: milliseconds, by: 60_000))
    // A week and the largest change of clocks.
    let end = time.advanced(byMilliseconds: 8 * 86_400_000)
    while next < end {
      if contains(next, in: zone) != now { return next }
      let step = Int64(minutesToBoundary(from: zone.minuteOfWeek(at: next))) * 60_000
      let later = next.advanced(byMilliseconds: step)
      // Local time does not pass evenly in between, so each minute is looked at.
      let isEven = zone.offsetSeconds(at: next) == zone.offsetSeconds(at: later)
      next = isEven ? later : next.advanced(byMilliseconds: 60_000)
    }
    return nil
  }

  private static func remainder(of value: Int64, by divisor: Int64) -> Int64 {
    let remainder = value % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }

  /// At least one minute.
  private func minutesToBoundary(from minute: Int) -> Int {
    let distances = starts.flatMap { start in
      [start, start + lengthMinutes].map { boundary in
        (boundary - minute - 1 + 2 * Self.minutesPerWeek) % Self.minutesPerWeek + 1
      }
    }
    return distances.min() ?? Self.minutesPerDay
  }

  private var starts: [Int] {
    Weekday.allCases.enumerated().filter { days.contains($0.element) }
      .map { $0.offset * Self.minutesPerDay + startMinute }
  }
}
