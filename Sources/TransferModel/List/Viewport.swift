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

  package static let countMax = 10_000

  package init(
    filter: RowFilter = RowFilter(), sort: RowSort = RowSort(), first: Int = 0,
    count: Int = countMax, anchor: TransferID? = nil
  ) {
    self.filter = filter
    self.sort = sort
    self.first = first
    self.count = count
    self.anchor = anchor
  }
}
