import KettleModel

/// A screen above the list; the last one on the stack receives the keys.
package enum DashboardScreen: Hashable, Sendable {
  case details(DetailsScreen)
  case help(scroll: Int)
  case add(AddDialog)
  case entry(EntryDialog)
  case question(Question)
  /// The line in which a filter or a search is typed; the list stays visible.
  case query(QueryField)
  case sortMenu(SortMenu)
  /// What a reset did not delete.
  case resetReport(ResetReport)

  package var keyContext: KeyContext {
    switch self {
    case .details, .help, .resetReport: .reader
    case .add: .add
    case .entry: .entry
    case .question: .question
    case .query: .query
    case .sortMenu: .menu
    }
  }
}

package struct DetailsScreen: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case loading
    case shown(TransferDetailsView)
    case unavailable(sentence: String)
  }

  package var id: TransferID
  package var content: Content
  package var section = DetailsSection.overview
  package var scroll: Int
  /// Whether the events scroll to each new one; false while the user reads older ones.
  package var followsEnd = true
  package var requestedAt: MonotonicTime
}

/// A question before an action that cannot be undone. Every answer except yes is no.
package enum Question: Hashable, Sendable {
  /// How many transfers are finished, and how many are not.
  case reset(finishedCount: Int, unfinishedCount: Int)
  case remove(TransferSnapshot)
  case removeWithFile(TransferSnapshot)
  case removeMarked(TransferSelection, count: Int, withFiles: Bool)
}

package struct ResetReport: Hashable, Sendable {
  package var deletedCount: Int
  package var keptPaths: [String]
  package var scroll: Int
}

/// A sentence for the message line.
package struct Notice: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case plain, problem
  }

  package var text: String
  package var kind: Kind
  package var until: MonotonicTime
}
