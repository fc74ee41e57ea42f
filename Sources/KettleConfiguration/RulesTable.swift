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

/// The keys of `[[rules]]`.
package enum RuleKey: String, CaseIterable, Sendable {
  // Conditions
  case host
  case fileExtension = "extension"
  case type, name
  // Effects
  case directory, title, limit, priority, connections, queue

  package static let connectionsMax = 64
  private static let directoryByteCountMax = 4096
  private static let titleByteCountMax = 1000

  /// The full name, with `#` in place of the number of the rule.
  package var name: String {
    "\(ConfigurationArray.rules.rawValue).\(ConfigurationArray.numberSign).\(rawValue)"
  }

  /// Describes the values that the key accepts.
  package var expectation: String {
    switch self {
    case .host: "the name of a host in quotes, or an array of them"
    case .fileExtension: "a file name extension in quotes and without its dot, or an array of them"
    case .type: "a MIME type in quotes, such as \"video/*\", or an array of them"
    case .name: "a pattern in quotes, such as \"debian-*.iso\", or an array of them"
    case .directory:
      "a path in quotes that begins with \"/\" or \"~/\", or is relative to the downloads directory"
    case .title: "a text in quotes, in which {name} and {host} have a meaning"
    case .limit: "a rate in quotes, such as \"500K\" or \"1.5M\""
    case .priority: "\"low\", \"normal\", \"high\", or a number from 0 to 1 in quotes"
    case .connections: "a whole number from 1 to \(Self.connectionsMax)"
    case .queue: "the name in quotes of a queue that the file has"
    }
  }

  /// Applies the value; returns false if the key does not accept it.
  func apply(_ value: TOMLValue, to rule: inout TransferRule) -> Bool {
    switch self {
    case .host: Self.set(&rule.conditions.hosts, Self.list(value, Self.host))
    case .fileExtension:
      Self.set(&rule.conditions.fileExtensions, Self.list(value, Self.fileExtension))
    case .type: Self.set(&rule.conditions.types, Self.list(value, MediaTypePattern.init))
    case .name: Self.set(&rule.conditions.names, Self.list(value, NamePattern.init))
    case .directory: Self.set(&rule.effects.directory, Self.text(value).flatMap(Self.directory))
    case .title: Self.set(&rule.effects.title, Self.text(value).flatMap(Self.title))
    case .limit:
      Self.set(&rule.effects.limitBytesPerSecond, Self.text(value).flatMap(RateText.parse))
    case .priority: Self.set(&rule.effects.priority, Self.text(value).flatMap(PriorityText.parse))
    case .connections: Self.set(&rule.effects.connections, Self.count(value))
    case .queue:
      Self.set(&rule.effects.queue, Self.text(value).flatMap { QueueName($0) })
    }
  }

  private static func set<Value>(_ setting: inout Value?, _ value: Value?) -> Bool {
    guard let value else { return false }
    setting = value
    return true
  }

  private static func set<Value>(_ setting: inout [Value], _ values: [Value]?) -> Bool {
    guard let values, !values.isEmpty else { return false }
    setting = values
    return true
  }

  // MARK: Values

  private static func text(_ value: TOMLValue) -> String? {
    guard case .string(let text) = value, !text.unicodeScalars.contains(where: \.isControl) else {
      return nil
    }
    return text
  }

  private static func list<Value>(
    _ value: TOMLValue, _ parse: (String) -> Value?
  ) -> [Value]? {
    let values: [TOMLValue] = if case .array(let values) = value { values } else { [value] }
    var parsed: [Value] = []
    for value in values {
      guard let one = text(value).flatMap(parse) else { return nil }
      parsed.append(one)
    }
    return parsed
  }

  private static func host(_ text: String) -> String? {
    HostName.isUsable(text) ? HostName.plain(text) : nil
  }

  private static func fileExtension(_ text: String) -> String? {
    let isUsable = !text.isEmpty && !text.hasPrefix(".") && !text.contains { "/* ".contains($0) }
    return isUsable ? text.lowercased() : nil
  }

  private static func directory(_ path: String) -> String? {
    let isUsable =
      !path.isEmpty && path.utf8.count <= directoryByteCountMax
      && !path.split(separator: "/").contains("..")
      && (!path.hasPrefix("~") || path.hasPrefix("~/"))
    return isUsable ? path : nil
  }

  private static func title(_ text: String) -> String? {
    (1...titleByteCountMax).contains(text.utf8.count) ? text : nil
  }

  private static func count(_ value: TOMLValue) -> Int? {
    guard case .integer(let number) = value, (1...Int64(connectionsMax)).contains(number) else {
      return nil
    }
    return Int(number)
  }
}
