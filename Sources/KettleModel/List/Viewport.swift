/// The part of the list that a client displays.
package struct Viewport: Codable, Hashable, Sendable {
  package var filter: RowFilter
  package var sort: RowSort
  /// The index of the first row in the filtered and sorted list.
  package var first: Int
  /// At most `countMax`.
  package var count: Int
  /// A transfer whose index in the list the client also needs.
  package var anchor: TransferID?
  /// Returned with the rows, so that a client that has changed the filter can ignore outdated rows.
  package var tag: Int?
  /// The groups of a grouped list whose rows are left out, also from the indices.
  package var folded: [ListGroup]?

  package static let countMax = 10_000

  package init(
    filter: RowFilter = RowFilter(), sort: RowSort = RowSort(), first: Int = 0,
    count: Int = countMax, anchor: TransferID? = nil, tag: Int? = nil, folded: [ListGroup]? = nil
  ) {
    self.filter = filter
    self.sort = sort
    self.first = first
    self.count = count
    self.anchor = anchor
    self.tag = tag
    self.folded = folded
  }
}
