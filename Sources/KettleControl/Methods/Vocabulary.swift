import KettleModel

/// Some rows of the list, and their position in it.
package struct RowWindow: Codable, Hashable, Sendable {
  package var first: Int
  /// The number of rows that match the filter.
  package var matchingCount: Int
  package var rows: [TransferSnapshot]
  package var totals: Totals
  /// The index of the viewport's anchor; nil if it does not match the filter.
  package var anchorIndex: Int?
  /// The tag of the viewport.
  package var tag: Int?
  /// The groups that have rows, in order; nil if the list is not grouped. The rows and the indices
  /// are those that are not folded.
  package var groups: [ListedGroup]?

  package init(
    first: Int, matchingCount: Int, rows: [TransferSnapshot], totals: Totals,
    anchorIndex: Int? = nil, tag: Int? = nil, groups: [ListedGroup]? = nil
  ) {
    self.first = first
    self.matchingCount = matchingCount
    self.rows = rows
    self.totals = totals
    self.anchorIndex = anchorIndex
    self.tag = tag
    self.groups = groups
  }
}
