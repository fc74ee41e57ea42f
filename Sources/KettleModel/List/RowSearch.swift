/// Asks for the next transfer with some words, in a list as a client shows it.
package struct RowSearch: Codable, Hashable, Sendable {
  package var filter: RowFilter
  package var sort: RowSort
  /// As in `RowFilter.text`.
  package var text: String
  /// The transfer after which it is looked for; when it is not in the list, `startIndex` counts.
  package var start: TransferID?
  package var startIndex: Int
  package var isBackwards: Bool
  /// Whether the start itself may be what is found.
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

/// Where a `RowSearch` led.
package struct FoundRow: Codable, Hashable, Sendable {
  package var id: TransferID
  /// Its place in the list, after filter and sort.
  package var index: Int
  /// Whether it lies on the other side of the start: the search came to the end of the list and
  /// went on from the other one.
  package var hasWrapped: Bool

  package init(id: TransferID, index: Int, hasWrapped: Bool) {
    self.id = id
    self.index = index
    self.hasWrapped = hasWrapped
  }
}
