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
