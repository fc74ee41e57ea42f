import KettleModel

/// The lines of the list: its rows, and the headings of its groups.
///
/// A list that is not grouped has a line for each row. The group at the top needs no heading when
/// it is the only one, or the running transfers.
package struct ListLines: Hashable, Sendable {
  /// A heading, if there is one, and the rows below it.
  private struct Part: Hashable, Sendable {
    var group: ListedGroup?
    var hasHeading: Bool
    var firstLine: Int
    var firstRow: Int
    var rowCount: Int

    var firstRowLine: Int { firstLine + (hasHeading ? 1 : 0) }
    var endLine: Int { firstRowLine + rowCount }
  }

  private let parts: [Part]

  /// - Parameters:
  ///   - rowCount: the number of rows of a list without groups.
  ///   - groups: nil for a list without groups.
  init(rowCount: Int, groups: [ListedGroup]?) {
    guard let groups else {
      parts = [
        Part(group: nil, hasHeading: false, firstLine: 0, firstRow: 0, rowCount: rowCount)
      ]
      return
    }
    var parts: [Part] = []
    for group in groups {
      let previous = parts.last
      let isPlainTop =
        previous == nil && !group.isFolded && group.queue == nil
        && (groups.count == 1 || group.group == .running)
      parts.append(
        Part(
          group: group, hasHeading: !isPlainTop, firstLine: previous?.endLine ?? 0,
          firstRow: previous.map { $0.firstRow + $0.rowCount } ?? 0,
          rowCount: group.isFolded ? 0 : min(max(0, group.count), ListWindow.countMax)))
    }
    self.parts = parts
  }

  package var count: Int { parts.last?.endLine ?? 0 }

  /// Whether a group has rows that are not displayed.
  var hasFolded: Bool { parts.contains { $0.group?.isFolded == true } }

  /// Returns the heading on a line; nil for a row.
  package func heading(at line: Int) -> ListedGroup? {
    guard let part = part(at: line), part.hasHeading, line == part.firstLine else { return nil }
    return part.group
  }

  /// Returns the group of the row or the heading on a line; nil in a list without groups.
  func group(at line: Int) -> ListGroup? { part(at: line)?.group?.group }

  /// Returns the line of a heading; nil if it is not displayed.
  func line(of heading: ListGroup) -> Int? {
    parts.first { $0.hasHeading && $0.group?.group == heading }?.firstLine
  }

  /// Returns the index of the row on a line; nil for a heading.
  func row(at line: Int) -> Int? {
    guard let part = part(at: line), line >= part.firstRowLine else { return nil }
    return part.firstRow + line - part.firstRowLine
  }

  /// Returns the index of the first row on the line or below it.
  func firstRow(from line: Int) -> Int {
    guard let part = part(at: line) else { return line < 0 ? 0 : (parts.last.map(Self.end) ?? 0) }
    return part.firstRow + max(0, line - part.firstRowLine)
  }

  private static func end(of part: Part) -> Int { part.firstRow + part.rowCount }

  /// Returns the line of a row. Rows that the list does not have yet follow its end.
  func line(ofRow row: Int) -> Int {
    guard let part = parts.last(where: { $0.firstRow <= row && $0.rowCount > 0 }) else {
      return max(0, row)
    }
    return part.firstRowLine + row - part.firstRow
  }

  private func part(at line: Int) -> Part? {
    parts.first { $0.firstLine <= line && line < $0.endLine }
  }
}
