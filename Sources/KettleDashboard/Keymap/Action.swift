/// Something that a key can do: its name in the configuration, its keys and its texts.
package struct Action: Hashable, Sendable {
  /// The section in the help and, if it is shown there, in the footer.
  package enum Group: Hashable, Sendable, CaseIterable {
    case transfer, all, finding, moving, reader, add, question, dashboard
  }

  /// The name in the configuration. It never changes, so that users' mappings stay valid.
  package let name: String
  package let group: Group
  package let contexts: Set<KeyContext>
  package internal(set) var keys: [Key]
  /// One or two words for the footer; nil when the footer does not show it.
  package let label: String?
  /// When not all labels fit, those with the largest number are dropped first.
  package let footerRank: Int
  /// Whether it must have a key: otherwise the user could not leave the screen or find the keys.
  package let isRequired: Bool
  /// A sentence without a period for the help.
  package let help: String

  init(
    _ name: String, _ group: Group, in contexts: Set<KeyContext>, keys: [Key],
    label: String? = nil, rank: Int = 0, isRequired: Bool = false, help: String
  ) {
    self.name = name
    self.group = group
    self.contexts = contexts
    self.keys = keys
    self.label = label
    footerRank = rank
    self.isRequired = isRequired
    self.help = help
  }

  /// For example `Up k`.
  package var keyNames: String { keys.map(\.name).joined(separator: " ") }
}
