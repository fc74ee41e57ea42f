import KettleModel

/// The meaning of a click at a position on the screen.
package enum ClickTarget: Hashable, Sendable {
  /// A row of the list, by its index.
  case row(Int)
  /// The name of a column.
  case column(RowSort.Key)
  /// The count of a state.
  case state(TransferState)
  /// Acts like a key, or like an action regardless of its key.
  case key(Key)
  case action(String)
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
