/// The size of the terminal in character cells.
package struct ScreenSize: Hashable, Sendable {
  package let columns: Int
  package let rows: Int

  /// A terminal can report anything: `TIOCGWINSZ` has 16 bits for each dimension, and zeros when
  /// nothing set it. The bounds limit a frame to a few megabytes.
  package init(columns: Int, rows: Int) {
    self.columns = min(max(columns, 1), 2000)
    self.rows = min(max(rows, 1), 1000)
  }

  package func holds(_ other: ScreenSize) -> Bool {
    columns >= other.columns && rows >= other.rows
  }
}
