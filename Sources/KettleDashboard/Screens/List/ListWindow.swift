import KettleModel

/// A range of rows of the list of transfers, with their position in the list.
package struct ListWindow: Hashable, Sendable {
  package var first: Int
  package var matchingCount: Int
  package var rows: [TransferSnapshot]
  /// The index of the transfer that the viewport is anchored to; nil when it is not in the list.
  package var anchorIndex: Int?
  /// The tag of the viewport that these rows belong to; nil from a service that does not return it.
  package var tag: Int?

  /// More rows than any list has, and few enough that adding a screenful cannot overflow.
  private static let countMax = 1 << 40

  package init(
    first: Int, matchingCount: Int, rows: [TransferSnapshot], anchorIndex: Int? = nil,
    tag: Int? = nil
  ) {
    self.first = min(max(0, first), Self.countMax)
    self.matchingCount = min(max(0, matchingCount), Self.countMax)
    self.rows = rows
    self.tag = tag
    self.anchorIndex = anchorIndex.map { min(max(0, $0), Self.countMax) }
  }

  package static let empty = ListWindow(first: 0, matchingCount: 0, rows: [])

  /// Returns nil for a row outside the list and for one that has not been sent yet.
  package func row(at index: Int) -> TransferSnapshot? {
    guard index >= first, rows.indices.contains(index - first) else { return nil }
    return rows[index - first]
  }

  package func index(of id: TransferID) -> Int? {
    rows.firstIndex { $0.id == id }.map { first + $0 }
  }
}
