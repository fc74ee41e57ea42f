import KettleModel

/// Sentences about the rules of the configuration file.
extension Sentences {
  static func noRules(_ path: String) -> String {
    "There are no [[rules]] in \(quoted(path, limit: 4096)); kettle-config(5) describes them"
  }

  /// A rule: its conditions, and one line for each effect.
  static func of(_ rule: TransferRule) -> [String] {
    let conditions = [
      ("host", rule.conditions.hosts), ("extension", rule.conditions.fileExtensions),
      ("type", rule.conditions.types.map(\.text)), ("name", rule.conditions.names.map(\.text)),
    ]
    let parts = conditions.filter { !$0.1.isEmpty }
      .map { "\($0.0) \($0.1.joined(separator: " or "))" }
    let lines = effects(rule.effects)
    return ["Rule \(rule.number): \(shown(parts.joined(separator: ", ")))"]
      + (lines.isEmpty ? ["  sets nothing, and no later rule applies"] : lines)
  }

  /// What was found for a URL.
  ///
  /// - Parameter effects: what the rule that matches sets.
  static func of(
    _ decision: TransferRules.Decision, _ effects: TransferRule.Effects?
  ) -> [String] {
    var lines: [String] = []
    if let match = decision.match {
      let words = match.use.words
      lines.append("\(words.prefix(1).uppercased())\(words.dropFirst()) applies")
      let effects = effects.map(self.effects) ?? []
      lines += effects.isEmpty ? ["  sets nothing"] : effects
    } else {
      lines.append("No rule applies")
    }
    if !decision.open.isEmpty {
      let numbers = decision.open.map(String.init).joined(separator: " or ")
      let instead = decision.match == nil ? "" : " instead"
      lines.append(
        "Rule \(numbers) may apply\(instead), which the type or name from the server decides")
    }
    return lines
  }

  private static func effects(_ effects: TransferRule.Effects) -> [String] {
    [
      effects.directory.map { "directory \(shown($0))" },
      effects.title.map { "title \(shown($0))" },
      effects.limitBytesPerSecond.map { "limit \(RateText.text($0))" },
      effects.priority.map { "priority \(priority($0))" },
      effects.connections.map { "connections \($0)" },
      effects.queue.map { "queue \($0.text)" },
    ].compactMap { $0.map { "  " + $0 } }
  }

  /// A priority as the command line and the file accept it.
  static func priority(_ priority: TransferPriority) -> String {
    switch priority {
    case .low: "low"
    case .normal: "normal"
    case .high: "high"
    default: "\(priority.value)"
    }
  }

  private static func shown(_ text: String) -> String { text.sanitizedForDisplay(limit: 4096) }
}
