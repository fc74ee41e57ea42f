import KettleModel

/// A range of rows of the list of transfers, with their position in the list. Indices are those of
/// its lines, which include the headings of groups.
package struct ListWindow: Hashable, Sendable {
  /// The index of the first row among the rows that are not folded.
  package var firstRow: Int
  /// The number of rows, including folded ones.
  package var matchingCount: Int
  package var rows: [TransferSnapshot]
  package let lines: ListLines
  /// The line of the transfer that the viewport is anchored to; nil when it is not in the list.
  package var anchorIndex: Int?
  /// The tag of the viewport that these rows belong to; nil from a service that does not return it.
  package var tag: Int?

  /// More rows than any list has, and few enough that adding a screenful cannot overflow.
  static let countMax = 1 << 40

  /// - Parameters:
  ///   - first: the index of the first row.
  ///   - groups: nil for a list without groups.
  ///   - anchorIndex: the index of the row.
  package init(
    first: Int, matchingCount: Int, rows: [TransferSnapshot], anchorIndex: Int? = nil,
    tag: Int? = nil, groups: [ListedGroup]? = nil
  ) {
    firstRow = min(max(0, first), Self.countMax)
    self.matchingCount = min(max(0, matchingCount), Self.countMax)
    self.rows = rows
    self.tag = tag
    let lines = ListLines(rowCount: self.matchingCount, groups: groups)
    self.lines = lines
    self.anchorIndex = anchorIndex.map { lines.line(ofRow: min(max(0, $0), Self.countMax)) }
  }

  package static let empty = ListWindow(first: 0, matchingCount: 0, rows: [])

  /// Whether the service has sent all rows.
  package var isComplete: Bool { firstRow == 0 && rows.count == matchingCount }

  /// Returns nil for a heading, for a row outside the list and for one that has not been sent yet.
  package func row(at index: Int) -> TransferSnapshot? {
    guard let row = lines.row(at: index), row >= firstRow,
      rows.indices.contains(row - firstRow)
    else { return nil }
    return rows[row - firstRow]
  }

  /// Returns the rows below a heading if all of them were sent; nil for a row.
  func rows(below heading: Int) -> ArraySlice<TransferSnapshot>? {
    guard let wanted = lines.rows(below: heading), !wanted.isEmpty, wanted.lowerBound >= firstRow,
      wanted.upperBound - firstRow <= rows.count
    else { return nil }
    return rows[(wanted.lowerBound - firstRow)..<(wanted.upperBound - firstRow)]
  }

  package func index(of id: TransferID) -> Int? {
    rows.firstIndex { $0.id == id }.map { lines.line(ofRow: firstRow + $0) }
  }

  /// The lines of the rows that were sent, with the headings between them.
  var sentLines: Range<Int> {
    guard !rows.isEmpty else { return 0..<0 }
    return lines.line(ofRow: firstRow)..<(lines.line(ofRow: firstRow + rows.count - 1) + 1)
  }
}
