import KettleModel

/// `[[rules]]`: what the user wants for which downloads.
enum RulesTable {
  private static let name = ConfigurationArray.rules.rawValue

  /// Whether an entry belongs to a rule, or is written as if it did.
  static func contains(_ entry: TOMLEntry) -> Bool { entry.name.hasPrefix(name + ".") }

  /// Reads the rules. One with a problem is left out: without a wrong condition it would hold for
  /// other downloads than it was meant for.
  ///
  /// - Parameter queues: the queues that the file has.
  static func read(
    _ document: TOMLDocument, queues: Set<QueueName>
  ) -> ([TransferRule], [ConfigurationProblem]) {
    var rules: [TransferRule] = []
    var problems: [ConfigurationProblem] = []
    for element in document.elements where element.array == name {
      let entries = document.entries.filter { $0.element == element }
      var (rule, found) = rule(element, entries)
      if let queue = rule.effects.queue, queue != .standard, !queues.contains(queue) {
        let name = "\(element.name).\(RuleKey.queue.rawValue)"
        found.append(
          ConfigurationProblem(
            .wrongValue(name, mustBe: RuleKey.queue.expectation),
            line: entries.first { $0.name == name }?.line))
      }
      if found.isEmpty { rules.append(rule) }
      problems += found
    }
    let strays = document.entries.filter { contains($0) && $0.element?.array != name }
    problems += strays.map { ConfigurationProblem(.notInArray($0.name, of: name), line: $0.line) }
    return (rules, problems)
  }

  private static func rule(
    _ element: TOMLElement, _ entries: [TOMLEntry]
  ) -> (TransferRule, [ConfigurationProblem]) {
    var rule = TransferRule(number: element.number)
    var problems: [ConfigurationProblem] = []
    for entry in entries {
      guard let key = RuleKey(rawValue: element.key(of: entry)) else {
        problems.append(ConfigurationProblem(.unknownKey(entry.name), line: entry.line))
        continue
      }
      if key.apply(entry.value, to: &rule) { continue }
      let what: ConfigurationProblem.What =
        entry.value == .unquoted && key != .connections
        ? .unquoted(entry.name) : .wrongValue(entry.name, mustBe: key.expectation)
      problems.append(ConfigurationProblem(what, line: entry.line))
    }
    if rule.conditions.isEmpty, problems.isEmpty {
      problems.append(ConfigurationProblem(.withoutCondition(element.name), line: element.line))
    }
    return (rule, problems)
  }
}
