/// The keys as they are for this user: the table of bindings with the mappings of the
/// configuration. The handling, the footer and the help read it.
package struct Keymap: Hashable, Sendable {
  package let bindings: [Binding]
  /// In the order of the lines.
  package let problems: [KeyMappingProblem]
  private let commands: [KeyContext: [Key: DashboardCommand]]

  package static let standard = Keymap([])

  /// Mappings that do not hold are left out one by one, and the others hold.
  package init(_ mappings: [KeyMapping], of table: [Binding] = Bindings.all) {
    var plan = KeymapPlan(table, mappings)
    plan.settle()
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

  /// What a key means; nil when it means nothing there.
  package func command(for key: Key, in context: KeyContext) -> DashboardCommand? {
    commands[context]?[key.pattern]
  }

  /// The text with keys in the place of `{action}`. For texts of ours alone: what comes from
  /// outside may have braces of its own.
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

  /// The first key of a command; nil when it has none there.
  package func key(_ command: DashboardCommand, in context: KeyContext = .list) -> Key? {
    let binding = bindings.first {
      $0.command == command && $0.contexts.contains(context) && !$0.keys.isEmpty
    }
    return binding?.keys.first
  }
}
