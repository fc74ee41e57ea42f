/// How many character cells the terminal has.
package struct ScreenSize: Hashable, Sendable {
  package let columns: Int
  package let rows: Int

  /// A terminal may report anything (`TIOCGWINSZ` has 16 bits each way, and zeros when nobody set
  /// it); the bounds keep a frame a few megabytes at most.
  package init(columns: Int, rows: Int) {
    self.columns = min(max(columns, 1), 2000)
    self.rows = min(max(rows, 1), 1000)
  }

  package func holds(_ other: ScreenSize) -> Bool {
    columns >= other.columns && rows >= other.rows
  }
}
