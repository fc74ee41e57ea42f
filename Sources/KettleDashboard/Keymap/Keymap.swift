/// The keys of this user: the table of bindings with the mappings of the configuration applied. Key
/// handling, footer and help read it.
package struct Keymap: Hashable, Sendable {
  package let bindings: [Binding]
  /// Sorted by line.
  package let problems: [KeyMappingProblem]
  private let commands: [KeyContext: [Key: DashboardCommand]]

  package static let standard = Keymap([])

  /// Rejects invalid mappings one by one and applies the others.
  package init(_ mappings: [KeyMapping], of table: [Binding] = Bindings.all) {
    var plan = KeymapPlan(table, mappings)
    plan.resolveConflicts()
    bindings = plan.bindings
    problems = plan.problems.sorted { $0.line < $1.line }
    commands = Self.commands(of: plan.bindings)
  }

  private static func commands(
    of bindings: [Binding]
  ) -> [KeyContext: [Key: DashboardCommand]] {
    var result: [KeyContext: [Key: DashboardCommand]] = [:]
    for binding in bindings {
      for context in binding.contexts {
        for key in binding.keys { result[context, default: [:]][key] = binding.command }
      }
    }
    return result
  }

  /// Returns the command for a key; nil when the key has no meaning in this context.
  package func command(for key: Key, in context: KeyContext) -> DashboardCommand? {
    commands[context]?[key.pattern]
  }

  /// Replaces each `{action}` with its key. Only for the dashboard's own texts: text from outside
  /// may contain braces.
  package func filled(_ text: String) -> String {
    guard text.contains("{") else { return text }
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      let action = rest[rest.index(after: open)..<close]
      let binding = bindings.first { $0.action == action }
      result += rest[..<open] + (binding?.keys.first?.name ?? String(action))
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }

  /// Returns the first key of a command; nil when it has none in this context.
  package func key(_ command: DashboardCommand, in context: KeyContext = .list) -> Key? {
    let binding = bindings.first {
      $0.command == command && $0.contexts.contains(context) && !$0.keys.isEmpty
    }
    return binding?.keys.first
  }
}
