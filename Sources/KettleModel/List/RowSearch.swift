/// A search for the next transfer that contains certain words, in a client's filtered and sorted
/// list.
package struct RowSearch: Codable, Hashable, Sendable {
  package var filter: RowFilter
  package var sort: RowSort
  /// As in `RowFilter.text`.
  package var text: String
  /// The transfer after which the search begins. `startIndex` applies if it is not in the list.
  package var start: TransferID?
  package var startIndex: Int
  package var isBackwards: Bool
  /// Whether the start itself can match.
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
  /// Its index in the filtered and sorted list.
  package var index: Int
  /// Whether the search reached the end of the list and continued from the other end.
  package var hasWrapped: Bool

  package init(id: TransferID, index: Int, hasWrapped: Bool) {
    self.id = id
    self.index = index
    self.hasWrapped = hasWrapped
  }
}
