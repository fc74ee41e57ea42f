/// A search for the next transfer with some words, in a list as a client shows it.
package struct RowSearch: Codable, Hashable, Sendable {
  package var filter: RowFilter
  package var sort: RowSort
  /// As in `RowFilter.text`.
  package var text: String
  /// The transfer after which the search begins; if it is not in the list, `startIndex` counts.
  package var start: TransferID?
  package var startIndex: Int
  package var isBackwards: Bool
  /// Whether the start itself may be found.
  package var includesStart: Bool

  package init(
    filter: RowFilter, sort: RowSort, text: String, start: TransferID?, startIndex: Int,
    isBackwards: Bool = false, includesStart: Bool = false
  ) {
    self.filter = filter
    self.sort = sort
    self.text = text
    self.start = start
    self.startIndex = startIndex
    self.isBackwards = isBackwards
    self.includesStart = includesStart
  }
}

/// The result of a `RowSearch`.
package struct FoundRow: Codable, Hashable, Sendable {
  package var id: TransferID
  /// Its place in the list, after filter and sort.
  package var index: Int
  /// Whether it lies on the other side of the start: the search reached the end of the list and
  /// continued from the other end.
  package var hasWrapped: Bool

  package init(id: TransferID, index: Int, hasWrapped: Bool) {
    self.id = id
    self.index = index
    self.hasWrapped = hasWrapped
  }
}
