import KettleModel

/// The filter and the sort order of the rows that a client displays.
struct RowView: Sendable, Hashable {
  var filter: RowFilter
  var sort: RowSort

  init(filter: RowFilter, sort: RowSort) {
    self.filter = filter
    self.sort = sort
  }

  init(_ viewport: Viewport) { self.init(filter: viewport.filter, sort: viewport.sort) }

  /// Whether it is the whole list in its own order, flat or grouped by state. The list without
  /// cleared transfers counts too while none is cleared.
  func isPlain(hasCleared: Bool) -> Bool {
    guard sort.key == .queue, !sort.isDescending, sort.grouping != .queues else { return false }
    return filter == RowFilter() || (!hasCleared && filter == RowFilter(scope: .uncleared))
  }

  /// Whether clearing completed transfers changes its rows.
  var dependsOnClearing: Bool {
    switch filter.scope {
    case .all: false
    case .uncleared:
      (filter.states ?? filter.stage?.states)?.contains(.completed) != false
    }
  }
}

/// The filter and the sort key of a view.
struct RowKeys: Sendable {
  private let test: RowTest
  private let sort: RowSort

  init(_ view: RowView) {
    test = RowTest(view.filter)
    sort = view.sort
  }

  /// Returns nil if the row does not match the filter.
  func key(of row: TransferSnapshot) -> RowKey? { test.passes(row) ? sort.key(of: row) : nil }
}
