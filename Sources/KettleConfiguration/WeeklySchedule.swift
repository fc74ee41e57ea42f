import KettleModel

/// The hours and days of a table that says when something holds.
package struct WeeklySchedule: Hashable, Sendable {
  /// As `01:00-06:00`; nil means the whole day.
  var hours: WeeklyHours?
  /// Empty means every day.
  var days: Set<WeeklyHours.Weekday> = []

  static let hoursExpectation = "hours in quotes, such as \"01:00-06:00\" or \"22:00-24:00\""
  static let daysExpectation =
    "an array of days in quotes: \"mon\", \"tue\", \"wed\", \"thu\", \"fri\", \"sat\", \"sun\""

  /// Both together; nil if neither is given, which means at any time.
  package var weekly: WeeklyHours? {
    guard hours != nil || !days.isEmpty else { return nil }
    let start = hours?.startMinute ?? 0
    let length = hours?.lengthMinutes ?? 1440
    return WeeklyHours(days: days, from: start, until: (start + length - 1) % 1440 + 1)
  }

  /// Applies the value of the key `hours` or `days`; returns the problem if it is not accepted.
  mutating func apply(_ entry: TOMLEntry, key: String) -> ConfigurationProblem.What? {
    if key == "hours" {
      guard case .string(let text) = entry.value, let parsed = WeeklyHours(text) else {
        return .wrongValue(entry.name, mustBe: Self.hoursExpectation)
      }
      hours = parsed
      return nil
    }
    guard case .array(let values) = entry.value else {
      return .wrongValue(entry.name, mustBe: Self.daysExpectation)
    }
    var days: Set<WeeklyHours.Weekday> = []
    for value in values {
      guard case .string(let text) = value,
        let day = WeeklyHours.Weekday(rawValue: text.lowercased())
      else { return .wrongValue(entry.name, mustBe: Self.daysExpectation) }
      days.insert(day)
    }
    self.days = days
    return nil
  }
}
