import KettleModel

/// `[[limits.schedule]]`: the limit for all transfers together in a part of the week.
enum LimitScheduleTable {
  private static let name = ConfigurationArray.limitsSchedule.rawValue

  /// The full names of the keys, with `#` in place of the number of the element.
  static let keys = ["rate", "hours", "days"].map {
    "\(name).\(ConfigurationArray.numberSign).\($0)"
  }

  /// Whether an entry belongs to an element, or is written as if it did.
  static func contains(_ entry: TOMLEntry) -> Bool { entry.name.hasPrefix(name + ".") }

  /// Reads the elements. One with a problem is left out: with wrong hours it would hold at other
  /// times than it was meant for.
  ///
  /// - Returns: the limits by their position in the file.
  static func read(
    _ document: TOMLDocument
  ) -> ([Int: ServiceConfiguration.ScheduledLimit], [ConfigurationProblem]) {
    var limits: [Int: ServiceConfiguration.ScheduledLimit] = [:]
    var problems: [ConfigurationProblem] = []
    for element in document.elements where element.array == name {
      let (limit, found) = limit(element, document.entries.filter { $0.element == element })
      if found.isEmpty { limits[element.number] = limit }
      problems += found
    }
    let strays = document.entries.filter { contains($0) && $0.element?.array != name }
    problems += strays.map { ConfigurationProblem(.notInArray($0.name, of: name), line: $0.line) }
    return (limits, problems)
  }

  private static func limit(
    _ element: TOMLElement, _ entries: [TOMLEntry]
  ) -> (ServiceConfiguration.ScheduledLimit, [ConfigurationProblem]) {
    var limit = ServiceConfiguration.ScheduledLimit()
    var problems: [ConfigurationProblem] = []
    for entry in entries {
      if let what = apply(entry, key: element.key(of: entry), to: &limit) {
        problems.append(ConfigurationProblem(what, line: entry.line))
      }
    }
    let missing = limit.rate == nil ? "rate" : limit.schedule.weekly == nil ? "hours" : nil
    if let missing, problems.isEmpty {
      problems.append(
        ConfigurationProblem(.incomplete(element.name, lacks: missing), line: element.line))
    }
    return (limit, problems)
  }

  /// Applies an entry, or returns its problem.
  private static func apply(
    _ entry: TOMLEntry, key: String, to limit: inout ServiceConfiguration.ScheduledLimit
  ) -> ConfigurationProblem.What? {
    switch key {
    case "rate":
      guard case .string(let text) = entry.value else {
        return .wrongValue(entry.name, mustBe: ConfigurationKey.limitsRate.expectation)
      }
      if text == RateText.none {
        limit.rate = .unlimited
      } else if let rate = RateText.parse(text) {
        limit.rate = .bytesPerSecond(rate)
      } else {
        return .wrongValue(entry.name, mustBe: ConfigurationKey.limitsRate.expectation)
      }
      return nil
    case "hours", "days": return limit.schedule.apply(entry, key: key)
    default: return .unknownKey(entry.name)
    }
  }
}

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

/// `[queues.NAME]`: how many transfers of a queue run at once, and when.
enum QueuesTable {
  private static let prefix = "queues."
  private static let keys = ["transfers", "hours", "days"]

  static func contains(_ entry: TOMLEntry) -> Bool { entry.name.hasPrefix(prefix) }

  /// Returns the key that was probably meant by one of this table.
  static func nearestKey(to key: String) -> String? {
    guard let (name, last) = parts(of: key) else { return nil }
    return NearestWord.of(last, in: keys).map { "\(prefix)\(name.text).\($0)" }
  }

  /// Divides `queues.NAME.KEY`; nil for any other name.
  private static func parts(of name: String) -> (queue: QueueName, key: String)? {
    guard name.hasPrefix(prefix) else { return nil }
    let parts = name.dropFirst(prefix.count)
      .split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = parts.first, let last = parts.last,
      let queue = QueueName(String(first))
    else { return nil }
    return (queue, String(last))
  }

  /// Applies an entry, or returns its problem.
  static func apply(
    _ entry: TOMLEntry, to configuration: inout ServiceConfiguration
  ) -> ConfigurationProblem.What? {
    guard let (name, key) = parts(of: entry.name) else { return .unknownKey(entry.name) }
    var queue = configuration.queues[name] ?? ServiceConfiguration.Queue()
    defer { configuration.queues[name] = queue }
    switch key {
    case "transfers":
      guard case .integer(let number) = entry.value, (1...1000).contains(number) else {
        return .wrongValue(entry.name, mustBe: ConfigurationKey.limitsTransfers.expectation)
      }
      queue.transfersMax = Int(number)
      return nil
    case "hours", "days": return queue.schedule.apply(entry, key: key)
    default: return .unknownKey(entry.name)
    }
  }
}
