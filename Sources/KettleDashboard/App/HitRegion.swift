import KettleModel

/// The meaning of a click at a position on the screen.
package enum ClickTarget: Hashable, Sendable {
  /// A row of the list, by its index.
  case row(Int)
  /// The name of a column.
  case column(RowSort.Key)
  /// The count of a state.
  case state(TransferState)
  /// Acts like a key, or like a command regardless of its key.
  case key(Key)
  case command(DashboardCommand)
  /// A line of a menu.
  case choice(Int)
  /// No action, but within the topmost screen, so that a click there does not close it.
  case inside
}

/// A part of one screen row that responds to clicks.
package struct HitRegion: Hashable, Sendable {
  package var row: Int
  package var columns: Range<Int>
  package var target: ClickTarget

  package init(row: Int, columns: Range<Int>, target: ClickTarget) {
    self.row = row
    self.columns = columns
    self.target = target
  }

  func holds(row: Int, column: Int) -> Bool { self.row == row && columns.contains(column) }
}

extension DashboardModel {
  /// Returns the click target at a position. Drawing records the targets, so that the two cannot
  /// differ. A screen above the list receives the clicks within it.
  package func target(row: Int, column: Int, at now: Moment) -> ClickTarget? {
    let canvas = drawn(at: now, look: Look(charset: charset, colors: .none))
    // Later regions are on top.
    let hit = canvas.regions.last { $0.holds(row: row, column: column) }
    switch hit?.target {
    case .row, .column, .state: return screens.isEmpty ? hit?.target : nil
    case .key, .command, .choice, .inside, nil: return hit?.target
    }
  }
}
