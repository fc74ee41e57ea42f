import KettleModel

package enum ListKind: Hashable, Sendable, CaseIterable {
  /// All but the finished ones that were cleared from view.
  case transfers
  /// What is finished, also what was cleared.
  case history
}

/// One view of the list, with what it remembers while the other one is shown.
package struct ListView: Hashable, Sendable {
  package let kind: ListKind
  /// The filter as it was typed; what is no filter is not taken.
  package internal(set) var filterText = ""
  /// What the text says.
  private(set) var query = RowFilter()
  package internal(set) var sort: RowSort
  package internal(set) var marks = Marks()
  /// The transfer under the cursor when the other view was opened.
  var cursorID: TransferID?
  /// And its line of the screen.
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

  /// What is asked of the service.
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
