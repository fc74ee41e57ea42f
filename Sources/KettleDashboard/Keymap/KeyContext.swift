/// The context that determines the meaning of keys.
package enum KeyContext: Hashable, Sendable, CaseIterable {
  case list
  /// A screen of text that scrolls: details, help, a report.
  case reader
  /// The form that adds URLs: letters are text there.
  case add
  /// A dialog with one line: a link or a rate.
  case entry
  /// A yes-or-no question.
  case question
  /// The line in which a filter or a search is typed.
  case query
  /// The command line.
  case command
  case menu
  /// The files of a collection, to choose among them.
  case choice

  /// Whether letters are text in this context.
  package var takesText: Bool {
    switch self {
    case .add, .entry, .query, .command: true
    case .list, .reader, .question, .menu, .choice: false
    }
  }
}

/// Movement through rows or lines.
package enum Movement: Hashable, Sendable, CaseIterable {
  case up, down, pageUp, pageDown, home, end

  /// Returns the position that it leads to; it may be out of range.
  func target(from position: Int, page: Int, last: Int) -> Int {
    switch self {
    case .up: position - 1
    case .down: position + 1
    case .pageUp: position - page
    case .pageDown: position + page
    case .home: 0
    case .end: last
    }
  }
}

/// Something that a key can do: its name in the configuration, its keys and its texts.
package struct Action: Hashable, Sendable {
  /// The section in the help and, if it is shown there, in the footer.
  package enum Group: Hashable, Sendable, CaseIterable {
    case transfer, all, finding, moving, reader, add, choice, question, dashboard
  }

  /// The name in the configuration. It never changes, so that users' mappings stay valid.
  package let name: String
  package let group: Group
  package internal(set) var contexts: Set<KeyContext>
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
