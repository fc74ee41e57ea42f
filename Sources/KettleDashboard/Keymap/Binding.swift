/// One entry of the table of key bindings.
package struct Binding: Hashable, Sendable {
  /// The section in the help and, if it is shown there, in the footer.
  package enum Group: Hashable, Sendable, CaseIterable {
    case transfer, all, finding, moving, reader, add, question, dashboard
  }

  package var group: Group
  package var contexts: Set<KeyContext>
  package var keys: [Key]
  package var command: DashboardCommand
  /// The action's name in the configuration.
  package var action: String
  /// One or two words for the footer; nil when the footer does not show it.
  package var label: String?
  /// A sentence without a period for the help.
  package var description: String
  /// When not all labels fit, those with the largest number are dropped first.
  package var footerRank: Int

  init(
    _ group: Group, in contexts: Set<KeyContext>, keys: [Key], _ command: DashboardCommand,
    action: String? = nil, label: String? = nil, rank: Int = 0, description: String
  ) {
    let context = KeyContext.allCases.first(where: contexts.contains) ?? .list
    self.group = group
    self.contexts = contexts
    self.keys = keys
    self.command = command
    self.action = action ?? command.actionName(in: context)
    self.label = label
    self.description = description
    footerRank = rank
  }

  /// For example `Up k`.
  package var keyNames: String { keys.map(\.name).joined(separator: " ") }
}
