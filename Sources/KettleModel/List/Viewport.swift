/// The part of the list that a client looks at.
package struct Viewport: Codable, Hashable, Sendable {
  package var filter: RowFilter
  package var sort: RowSort
  /// Index of the first row, after filter and sort.
  package var first: Int
  /// At most `countMax`.
  package var count: Int
  /// The transfer whose place in the list is wanted as well.
  package var anchor: TransferID?
  /// Comes back with the rows: a client that changes the filter while rows are on their way can
  /// tell those that it no longer wants.
  package var tag: Int?

  package static let countMax = 10_000

  package init(
    filter: RowFilter = RowFilter(), sort: RowSort = RowSort(), first: Int = 0,
    count: Int = countMax, anchor: TransferID? = nil, tag: Int? = nil
  ) {
    self.filter = filter
    self.sort = sort
    self.first = first
    self.count = count
    self.anchor = anchor
    self.tag = tag
  }
}
