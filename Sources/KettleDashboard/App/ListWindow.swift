import KettleModel

/// Some rows of the list of transfers, and where they stand in it.
package struct ListWindow: Hashable, Sendable {
  package var first: Int
  package var matchingCount: Int
  package var rows: [TransferSnapshot]
  /// Where the transfer stands that the viewport was anchored to; nil when it is not in the list.
  package var anchorIndex: Int?
  /// That of the viewport that it answers; nil from a service that does not send it back.
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

  /// nil for a row outside of the list and for one that has not been sent yet.
  package func row(at index: Int) -> TransferSnapshot? {
    guard index >= first, rows.indices.contains(index - first) else { return nil }
    return rows[index - first]
  }

  package func index(of id: TransferID) -> Int? {
    rows.firstIndex { $0.id == id }.map { first + $0 }
  }
}
