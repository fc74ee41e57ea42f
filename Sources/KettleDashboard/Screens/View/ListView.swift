import KettleModel

package enum ListKind: Hashable, Sendable, CaseIterable {
  /// All transfers except finished ones that were cleared.
  case transfers
  /// All finished transfers, including cleared ones.
  case history
}

/// One view of the list, with the state that it keeps while the other view is shown.
package struct ListView: Hashable, Sendable {
  package let kind: ListKind
  /// The filter as typed; a text that is not a filter is not stored.
  package internal(set) var filterText = ""
  /// The parsed `filterText`.
  private(set) var query = RowFilter()
  package internal(set) var sort: RowSort
  package internal(set) var marks = Marks()
  /// The transfer under the cursor when the other view was opened.
  var cursorID: TransferID?
  /// The screen line of that transfer.
  var cursorLine = 0

  init(_ kind: ListKind) {
    self.kind = kind
    sort = Self.naturalSort(of: kind)
  }

  static func naturalSort(of kind: ListKind) -> RowSort {
    switch kind {
    case .transfers: RowSort()
    case .history: RowSort(key: .finishedAt, isDescending: true)
    }
  }

  package var isFiltered: Bool { query != RowFilter() }

  /// The filter that is sent to the service.
  package var filter: RowFilter {
    var filter = query
    switch kind {
    case .transfers: filter.scope = .uncleared
    case .history:
      filter.states = (query.states ?? [.completed]).filter { $0 == .completed }
    }
    return filter
  }

  mutating func setFilter(_ text: String, _ query: RowFilter) {
    filterText = text
    self.query = query
  }
}
