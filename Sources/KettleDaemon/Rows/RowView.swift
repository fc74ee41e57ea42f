import KettleModel

/// Which rows a client looks at, and in which order.
struct RowView: Sendable, Hashable {
  var filter: RowFilter
  var sort: RowSort

  init(filter: RowFilter, sort: RowSort) {
    self.filter = filter
    self.sort = sort
  }

  init(_ viewport: Viewport) { self.init(filter: viewport.filter, sort: viewport.sort) }

  /// Whether it is the whole list in its own order; the same without what was cleared is that too
  /// while nothing is.
  func isPlain(hasCleared: Bool) -> Bool {
    guard sort == RowSort() else { return false }
    return filter == RowFilter() || (!hasCleared && filter == RowFilter(scope: .uncleared))
  }

  /// Whether it has other rows when what is completed is cleared.
  var dependsOnClearing: Bool {
    switch filter.scope {
    case .all: false
    case .uncleared: filter.states?.contains(.completed) != false
    }
  }
}
