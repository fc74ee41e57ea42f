import KettleModel

/// A box above the list.
package enum ListBox: String, Codable, Hashable, Sendable, CaseIterable {
  case speed, hosts
}

/// The number of lines of each part of the list screen. From 100 columns on, the parts are in
/// boxes.
package struct ListLayout: Hashable, Sendable {
  /// Nothing useful fits on a smaller screen.
  package static let minimum = ScreenSize(columns: 36, rows: 8)

  package let size: ScreenSize
  /// Whether there is a line about the view: a filter, marks.
  package let hasViewLine: Bool
  /// Whether the details of a transfer are open below the rows.
  package let hasPane: Bool
  /// The transfers in the box of what needs the user; 0 without the box.
  package let needsCount: Int
  private let hiddenBoxes: Set<ListBox>

  package init(
    size: ScreenSize, hasViewLine: Bool = false, hasPane: Bool = false, needsCount: Int = 0,
    hiddenBoxes: Set<ListBox> = []
  ) {
    self.size = size
    self.hiddenBoxes = hiddenBoxes
    self.hasViewLine = hasViewLine
    self.hasPane = hasPane
    self.needsCount = needsCount
  }

  package var isBoxed: Bool { Self.isBoxed(size) }

  static func isBoxed(_ size: ScreenSize) -> Bool { size.columns >= 100 && size.rows >= 20 }

  /// More transfers that need the user are a group of the list, so that the others keep their room.
  static func needsCountMax(_ size: ScreenSize) -> Int {
    isBoxed(size) ? min(6, size.rows / 6) : 0
  }

  private var edge: Int { isBoxed ? 1 : 0 }

  package var footerTop: Int { size.rows - 1 }

  /// Whether a screen has room for a box above the list.
  static func hasRoom(for box: ListBox, _ size: ScreenSize) -> Bool {
    guard isBoxed(size), size.rows >= 28 else { return false }
    return switch box {
    case .speed: true
    case .hosts: size.columns >= 120
    }
  }

  private func shows(_ box: ListBox) -> Bool {
    Self.hasRoom(for: box, size) && !hiddenBoxes.contains(box)
  }

  /// The lines of the graph of the total speed; 0 where the rows need the room.
  package var graphHeight: Int {
    guard ListBox.allCases.contains(where: shows) else { return 0 }
    return size.rows >= 45 ? 8 : size.rows >= 33 ? 6 : 3
  }

  /// The boxes of the graph and of the hosts, with their borders.
  package var graphRows: Range<Int> { 1..<(graphHeight > 0 ? graphHeight + 3 : 1) }

  package var graphColumns: Range<Int> {
    guard shows(.speed) else { return 0..<0 }
    return 0..<(hostColumns.isEmpty ? size.columns : hostColumns.lowerBound)
  }

  package var hostColumns: Range<Int> {
    guard shows(.hosts) else { return 0..<0 }
    guard shows(.speed) else { return 0..<size.columns }
    return (size.columns - max(46, size.columns * 3 / 8))..<size.columns
  }

  /// The box of what needs the user, with its borders.
  package var needsRows: Range<Int> {
    let top = graphRows.upperBound
    return top..<(needsCount > 0 ? top + needsCount + 2 : top)
  }

  /// The box of the rows, with its borders; without boxes the lines that it would have.
  package var listRows: Range<Int> {
    let top = needsRows.upperBound
    return top..<max(top, footerTop)
  }

  package var columnNamesRow: Int { listRows.lowerBound + edge }
  package var bodyTop: Int { columnNamesRow + 1 }

  package var bodyHeight: Int {
    max(1, messageRow - bodyTop - (hasViewLine ? 1 : 0) - paneHeight)
  }

  /// A screen with fewer rows has no room for the pane.
  package static let rowsForPaneMin = 20

  /// Whether the pane takes nothing from the rows that they would need.
  static func hasRoomForPane(_ size: ScreenSize) -> Bool {
    size.columns >= 180 && size.rows >= 45
  }

  package var isPaneVisible: Bool { hasPane && size.rows >= Self.rowsForPaneMin }

  /// On a wide screen the pane is beside the rows, otherwise below them.
  package var isPaneBeside: Bool { isPaneVisible && size.columns >= 160 }

  /// The lines that the pane takes from the rows, with the line of its title.
  private var paneHeight: Int {
    guard isPaneVisible, !isPaneBeside else { return 0 }
    return min(max(8, size.rows / 2 - 3), 18, max(1, messageRow - bodyTop - 3))
  }

  package var paneRows: Range<Int> {
    guard !isPaneBeside else { return columnNamesRow..<(bodyTop + bodyHeight) }
    let top = bodyTop + bodyHeight
    return top..<(top + paneHeight)
  }

  package var paneColumns: Range<Int> {
    isPaneBeside ? (listColumns.upperBound + 1)..<innerColumns.upperBound : innerColumns
  }

  /// The columns within the box.
  package var innerColumns: Range<Int> { edge..<(size.columns - edge) }

  /// The columns of the rows. Beside the pane, a column between the two separates them.
  package var listColumns: Range<Int> {
    edge..<(isPaneBeside ? size.columns * 4 / 7 : innerColumns.upperBound)
  }

  /// The row of the view line, if there is one.
  package var viewRow: Int { messageRow - 1 }
  package var messageRow: Int { footerTop - 1 - edge }
}

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
        && (groups.count == 1 && !group.group.isInnerDirectory || group.group == .running)
      parts.append(
        Part(
          group: group, hasHeading: !isPlainTop, firstLine: previous?.endLine ?? 0,
          firstRow: previous.map { $0.firstRow + $0.rowCount } ?? 0,
          rowCount: group.isFolded ? 0 : min(max(0, group.count), ListWindow.countMax)))
    }
    self.parts = parts
  }

  package var count: Int { parts.last?.endLine ?? 0 }

  /// The user's queues among the groups.
  var queues: [QueueName] {
    parts.compactMap { part in
      switch part.group?.group {
      case .queue(let name): name
      case .work, .noQueue, .directory, nil: nil
      }
    }
  }

  /// Whether a group has rows that are not displayed.
  var hasFolded: Bool { parts.contains { $0.group?.isFolded == true } }

  /// Returns the indices of the rows below a heading; nil for a row.
  func rows(below heading: Int) -> Range<Int>? {
    guard let part = part(at: heading), part.hasHeading, heading == part.firstLine else {
      return nil
    }
    return part.firstRow..<(part.firstRow + part.rowCount)
  }

  /// Returns the heading on a line; nil for a row.
  package func heading(at line: Int) -> ListedGroup? {
    guard let part = part(at: line), part.hasHeading, line == part.firstLine else { return nil }
    return part.group
  }

  /// Returns the group of the row or the heading on a line; nil in a list without groups.
  func group(at line: Int) -> ListGroup? { part(at: line)?.group?.group }

  /// Returns the number of rows in a group; nil in a list without groups by state.
  func count(of group: ListGroup) -> Int? {
    let groups = parts.compactMap(\.group)
    guard groups.contains(where: \.group.isWork) else { return nil }
    return groups.first { $0.group == group }?.count ?? 0
  }

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

extension ListGroup {
  fileprivate var isWork: Bool {
    switch self {
    case .work: true
    case .queue, .noQueue, .directory: false
    }
  }

  fileprivate var isInnerDirectory: Bool {
    switch self {
    case .directory(let path): !path.isEmpty
    case .work, .queue, .noQueue: false
    }
  }
}
