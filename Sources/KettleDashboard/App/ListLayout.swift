/// How many lines each part of the list screen has.
package struct ListLayout: Hashable, Sendable {
  /// Below this nothing useful fits.
  package static let minimum = ScreenSize(columns: 36, rows: 8)

  package let size: ScreenSize
  /// Whether there is something to say about the view: a filter, marks.
  package let hasViewLine: Bool

  package init(size: ScreenSize, hasViewLine: Bool = false) {
    self.size = size
    self.hasViewLine = hasViewLine
  }

  /// Two on ordinary terminals, because the keys for one row and for all do not fit into 80
  /// columns; by the size alone, so that the rows do not jump as the cursor moves.
  package var footerHeight: Int { size.columns < 132 && size.rows >= 16 ? 2 : 1 }

  /// The line about what is under way. The 24 rows of the classic terminal are for the transfers;
  /// there a few words in the title have to do.
  package var hasBatchLine: Bool { size.rows > 24 }
  package var batchRow: Int { 1 }
  package var columnNamesRow: Int { hasBatchLine ? 2 : 1 }

  /// Title, batch, column names, view, message, footer.
  package var bodyHeight: Int {
    max(1, size.rows - bodyTop - 1 - footerHeight - (hasViewLine ? 1 : 0))
  }
  package var bodyTop: Int { columnNamesRow + 1 }
  /// Where the line about the view stands, when there is one.
  package var viewRow: Int { messageRow - 1 }
  package var messageRow: Int { size.rows - footerHeight - 1 }
  package var footerTop: Int { size.rows - footerHeight }
}
