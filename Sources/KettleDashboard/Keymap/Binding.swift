/// One entry of the table of key bindings.
package struct Binding: Hashable, Sendable {
  /// The section in the help and, if it is shown there, in the footer.
  package enum Group: Hashable, Sendable, CaseIterable {
    case transfer, all, finding, moving, reader, add, question, dashboard
  }

  /// The action's name in the configuration. It never changes, so that users' mappings stay valid.
  package var action: String
  package var command: DashboardCommand
  package var group: Group
  package var contexts: Set<KeyContext>
  package var keys: [Key]
  /// One or two words for the footer; nil when the footer does not show it.
  package var label: String?
  /// The labels that the key can have in the footer besides its usual one.
  package var otherLabels: [String]
  /// When not all labels fit, those with the largest number are dropped first.
  package var footerRank: Int
  /// Whether it must have a key: otherwise the user could not leave the screen or find the keys.
  package var isRequired: Bool
  /// A sentence without a period for the help.
  package var description: String

  init(
    _ action: String, _ command: DashboardCommand, group: Group, in contexts: Set<KeyContext>,
    keys: [Key], label: String? = nil, otherLabels: [String] = [], rank: Int = 0,
    isRequired: Bool = false, description: String
  ) {
    self.action = action
    self.command = command
    self.group = group
    self.contexts = contexts
    self.keys = keys
    self.label = label
    self.otherLabels = otherLabels
    footerRank = rank
    self.isRequired = isRequired
    self.description = description
  }

  /// For example `Up k`.
  package var keyNames: String { keys.map(\.name).joined(separator: " ") }
}
