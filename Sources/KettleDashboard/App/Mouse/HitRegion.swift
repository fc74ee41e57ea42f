import KettleModel

/// What a click means at a place of the screen.
package enum ClickTarget: Hashable, Sendable {
  /// A row of the list, by its place in it.
  case row(Int)
  /// The name of a column.
  case column(RowSort.Key)
  /// How many are in a state.
  case state(TransferState)
  /// The same as a key, or as a command whatever its key is.
  case key(Key)
  case command(DashboardCommand)
  /// A line of a menu.
  case choice(Int)
  /// Nothing, but within what lies over the list, so that a click there does not close it.
  case inside
}

/// A part of one screen row that answers to a click.
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
  /// What the drawing put at a place: the drawing itself says where what can be clicked is, so that
  /// the two cannot differ. What lies over the list takes the clicks meant for it.
  package func target(row: Int, column: Int, at now: Moment) -> ClickTarget? {
    let canvas = drawn(at: now, look: Look(charset: charset, colors: .none))
    // What was drawn last lies on top.
    let hit = canvas.regions.last { $0.holds(row: row, column: column) }
    switch hit?.target {
    case .row, .column, .state: return screens.isEmpty ? hit?.target : nil
    case .key, .command, .choice, .inside, nil: return hit?.target
    }
  }
}
