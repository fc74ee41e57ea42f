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
