import KettleModel

/// The columns of the history.
package struct HistoryColumns: Hashable, Sendable {
  package private(set) var file = 4..<5
  package private(set) var size: Range<Int>?
  package private(set) var host: Range<Int>?
  package private(set) var finished = 0..<0

  /// Fits the day, and the time of day where there is room.
  private static let finishedWidth = 12

  /// What the hosts do not need goes to the names.
  package init(width: Int, needs: ColumnNeeds = ColumnNeeds()) {
    // The last column is for the scrollbar.
    let room = max(1, width - 5)
    var right = 4 + room
    func column(_ width: Int) -> Range<Int> {
      defer { right -= width + 2 }
      return max(4, right - width)..<right
    }
    finished = column(Self.finishedWidth)
    if room >= 60 { host = column(min(32, room / 4, needs.width(of: .host) ?? .max)) }
    if room >= 34 { size = column(9) }
    file = 4..<max(5, right)
  }

  package var keys: [RowSort.Key] {
    var keys: [RowSort.Key] = [.title]
    if size != nil { keys.append(.size) }
    if host != nil { keys.append(.host) }
    keys.append(.finishedAt)
    return keys
  }
}
