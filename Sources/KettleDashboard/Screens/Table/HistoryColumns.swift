import KettleModel

/// The columns of the history.
package struct HistoryColumns: Hashable, Sendable {
  /// The day, and what was downloaded on it; nil where there is no room.
  package private(set) var day: Range<Int>?
  package private(set) var file = 3..<4
  package private(set) var size: Range<Int>?
  package private(set) var host: Range<Int>?
  package private(set) var finished = 0..<0

  /// Fits the day, and the time of day where there is room.
  private static let finishedWidth = 12
  /// Fits the name of the column with an arrow.
  private static let timeWidth = 10
  /// Fits `120 files, 900 MiB`.
  private static let dayWidth = 18

  package init(width: Int) {
    let hasDays = width >= 72
    // The last columns are for the scrollbar.
    let room = max(1, width - 5)
    var right = 3 + room
    func column(_ width: Int) -> Range<Int> {
      defer { right -= width + 2 }
      return max(3, right - width)..<right
    }
    finished = column(hasDays ? Self.timeWidth : Self.finishedWidth)
    if room >= 60 { host = column(min(32, room / 4)) }
    if room >= 34 { size = column(9) }
    let left = hasDays ? 3 + Self.dayWidth + 2 : 3
    if hasDays { day = 3..<(3 + Self.dayWidth) }
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
