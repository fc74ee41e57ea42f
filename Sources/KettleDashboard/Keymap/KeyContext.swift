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

  /// Whether letters are text in this context.
  package var takesText: Bool {
    switch self {
    case .add, .entry, .query, .command: true
    case .list, .reader, .question, .menu: false
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
