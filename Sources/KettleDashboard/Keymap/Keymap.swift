/// The keys of this user: all actions with the mappings of the configuration applied. Key handling,
/// footer and help read it.
package struct Keymap: Hashable, Sendable {
  package let actions: [Action]
  /// Sorted by line.
  package let problems: [KeyMappingProblem]
  /// The names of the actions.
  private let names: [KeyContext: [Key: String]]

  /// Rejects invalid mappings one by one and applies the others.
  package init(_ mappings: [KeyMapping], of table: [Action]) {
    var plan = KeymapPlan(table, mappings)
    plan.resolveConflicts()
    actions = plan.actions
    problems = plan.problems.sorted { $0.line < $1.line }
    names = Self.names(of: plan.actions)
  }

  private static func names(of actions: [Action]) -> [KeyContext: [Key: String]] {
    var result: [KeyContext: [Key: String]] = [:]
    for action in actions {
      for context in action.contexts {
        for key in action.keys { result[context, default: [:]][key] = action.name }
      }
    }
    return result
  }

  /// Returns the name of the action of a key; nil when the key has no meaning in this context.
  package func action(for key: Key, in context: KeyContext) -> String? {
    names[context]?[key.pattern]
  }

  /// Replaces each `{action}` with its key. Only for the dashboard's own texts: text from outside
  /// may contain braces.
  package func filled(_ text: String) -> String {
    guard text.contains("{") else { return text }
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      let name = rest[rest.index(after: open)..<close]
      result += rest[..<open] + (key(of: String(name))?.name ?? String(name))
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }

  /// Returns the first key of an action; nil when it has none.
  package func key(of name: String) -> Key? {
    actions.first { $0.name == name }?.keys.first
  }
}

/// Combines a user's mappings with the table of actions.
struct KeymapPlan {
  private let table: [Action]
  /// The mappings accepted so far, by action.
  private var chosen: [String: Choice] = [:]
  private(set) var problems: [KeyMappingProblem] = []

  private struct Choice {
    var keys: [Key]
    var line: Int
  }

  init(_ table: [Action], _ mappings: [KeyMapping]) {
    self.table = table
    for mapping in mappings { add(mapping) }
  }

  var actions: [Action] {
    table.map { action in
      guard let choice = chosen[action.name] else { return action }
      var action = action
      // A paste cannot be mapped to another key.
      action.keys = choice.keys + action.keys.filter { $0 == .paste("") }
      return action
    }
  }

  private mutating func add(_ mapping: KeyMapping) {
    func refuse(_ what: KeyMappingProblem.What) {
      problems.append(
        KeyMappingProblem(what: what, action: mapping.action, line: mapping.line))
    }
    guard let action = table.first(where: { $0.name == mapping.action }) else {
      return refuse(.unknownAction)
    }
    var keys: [Key] = []
    for name in mapping.keys {
      guard let key = Key(name: name) else { return refuse(.unknownKey(name)) }
      if !keys.contains(key) { keys.append(key) }
    }
    if keys.isEmpty, action.isRequired { return refuse(.needsKey) }
    let isInText = action.contexts.contains(where: \.takesText)
    if isInText, let letter = keys.first(where: { $0.typedText != nil }) {
      return refuse(.letterInText(letter))
    }
    chosen[mapping.action] = Choice(keys: keys, line: mapping.line)
  }

  /// Rejects mappings, the last line first, until no key has two meanings in one context. A
  /// rejected action gets its default keys back, which may conflict with another mapping.
  mutating func resolveConflicts() {
    while let conflict = lastConflict() {
      chosen[conflict.action] = nil
      problems.append(conflict)
    }
  }

  private func lastConflict() -> KeyMappingProblem? {
    var owners: [KeyContext: [Key: String]] = [:]
    var last: KeyMappingProblem?
    func consider(_ action: String, key: Key, against other: String) {
      guard let choice = chosen[action], choice.line > last?.line ?? .min else { return }
      last = KeyMappingProblem(what: .bound(key, by: other), action: action, line: choice.line)
    }
    for action in actions {
      for context in action.contexts {
        for key in action.keys {
          let owner = owners[context, default: [:]].updateValue(action.name, forKey: key)
          guard let owner, owner != action.name else { continue }
          consider(action.name, key: key, against: owner)
          consider(owner, key: key, against: action.name)
        }
      }
    }
    return last
  }
}

/// A key of the configuration file that has a fixed name.
package struct SettingName: Hashable, Sendable {
  package var key: String
  /// What it sets; a sentence without a period.
  package var meaning: String

  package init(_ key: String, meaning: String) {
    self.key = key
    self.meaning = meaning
  }
}

/// The user's settings for the dashboard.
package struct DashboardSettings: Hashable, Sendable {
  /// The keys of the configuration file.
  package var names: [SettingName] = []
  package var keymap = Keymap.standard
  package var terminal = TerminalOptions()
  /// Problems in the configuration, one sentence each.
  package var problems: [String] = []
  /// The themes to choose from: the built-in ones, and the user's files in their place.
  package var themes = BuiltInTheme.allCases.map { NamedTheme($0.rawValue, base: $0) }
  /// The program, with its options, whose commands reach the service that is shown; nil if none do.
  package var shellProgram: String? = "kettle"
  /// What the user chose in earlier runs.
  package var choices = DashboardChoices()
  /// Whether the message line shows tips, as it does in the demo.
  package var showsTour = false
  /// Whether pictures may move while bytes arrive.
  package var hasMotion = true

  package init() {}
}
