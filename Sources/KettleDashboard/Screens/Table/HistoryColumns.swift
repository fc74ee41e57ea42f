import KettleModel

/// The columns of the history.
package struct HistoryColumns: Hashable, Sendable {
  /// The day, and what was downloaded on it; nil where there is no room.
  package private(set) var day: Range<Int>?
  package private(set) var file = 4..<5
  package private(set) var size: Range<Int>?
  package private(set) var host: Range<Int>?
  package private(set) var finished = 0..<0

  /// Fits the day, and the time of day where there is room.
  private static let finishedWidth = 12
  /// Fits the name of the column with an arrow.
  private static let timeWidth = 10
  /// Fits `120 files, 900 MiB`.
  private static let dayWidth = 18

  /// What the hosts do not need goes to the names.
  package init(width: Int, needs: ColumnNeeds = ColumnNeeds()) {
    let hasDays = width >= 72
    // The last column is for the scrollbar.
    let room = max(1, width - 5)
    var right = 4 + room
    func column(_ width: Int) -> Range<Int> {
      defer { right -= width + 2 }
      return max(4, right - width)..<right
    }
    finished = column(hasDays ? Self.timeWidth : Self.finishedWidth)
    if room >= 60 { host = column(min(32, room / 4, needs.width(of: .host) ?? .max)) }
    if room >= 34 { size = column(9) }
    let left = hasDays ? 4 + Self.dayWidth + 2 : 4
    if hasDays { day = 4..<(4 + Self.dayWidth) }
    file = left..<max(left + 1, right)
  }

  package var keys: [RowSort.Key] {
    var keys: [RowSort.Key] = [.title]
    if size != nil { keys.append(.size) }
    if host != nil { keys.append(.host) }
    keys.append(.finishedAt)
    return keys
  }
}
