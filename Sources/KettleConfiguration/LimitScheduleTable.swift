import KettleModel

/// `[[limits.schedule]]`: the limit for all transfers together in a part of the week.
enum LimitScheduleTable {
  static func contains(_ entry: TOMLEntry) -> Bool {
    entry.element?.array == ConfigurationArray.limitsSchedule.rawValue
  }

  /// Applies an entry, or returns its problem.
  static func apply(
    _ entry: TOMLEntry, to configuration: inout ServiceConfiguration
  ) -> ConfigurationProblem.What? {
    guard let element = entry.element else { return .unknownKey(entry.name) }
    var limit =
      configuration.limitSchedule[element.number] ?? ServiceConfiguration.ScheduledLimit()
    defer { configuration.limitSchedule[element.number] = limit }
    let key = element.key(of: entry)
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

  /// Returns the problems of elements that lack what they need.
  static func problems(
    in document: TOMLDocument, _ configuration: ServiceConfiguration
  ) -> [ConfigurationProblem] {
    document.elements.compactMap { element in
      guard element.array == ConfigurationArray.limitsSchedule.rawValue else { return nil }
      let limit = configuration.limitSchedule[element.number]
      guard limit?.rate == nil || limit?.schedule.weekly == nil else { return nil }
      let missing = limit?.rate == nil ? "rate" : "hours"
      return ConfigurationProblem(.incomplete(element.name, lacks: missing), line: element.line)
    }
  }
}
