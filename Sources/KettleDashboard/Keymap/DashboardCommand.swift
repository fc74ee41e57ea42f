/// Every command that a key can be bound to.
package enum DashboardCommand: Hashable, Sendable {
  case row(RowCommand)
  case mark(MarkCommand)
  case view(ViewCommand)
  case queue(QueueCommand)
  case all(AllCommand)
  case move(Movement)
  case edit(Edit)
  case details(DetailsCommand)
  case copyOrOpen(CopyOrOpenCommand)
  /// `add` opens the dialog that adds URLs; `addNow` adds its content.
  case add, addNow
  /// Applies the content of a dialog with one line.
  case acceptEntry
  /// Applies the filter or the search in the line below the list.
  case acceptQuery
  /// Selects the current line of the menu.
  case choose
  /// Closes the reader screen.
  case back
  /// `confirm` answers yes to a question; `cancel` answers no, or closes a dialog.
  case confirm, cancel
  case help, redraw, suspend, leave
}

/// Applies to the marked transfers, or else to the one under the cursor.
package enum RowCommand: Hashable, Sendable, CaseIterable {
  case start, pause, stop, remove, removeWithFile, details
  /// Opens the dialog for a new link or for a speed limit.
  case relink, limit

  /// Whether it shows data of a row, which must have been sent first.
  var needsRow: Bool {
    switch self {
    case .relink, .limit, .details: true
    case .start, .pause, .stop, .remove, .removeWithFile: false
    }
  }
}

/// Copies or opens something of a transfer.
package enum CopyOrOpenCommand: Hashable, Sendable, CaseIterable {
  case copyURL, copyPath, openFile
}

/// Applies to all transfers.
package enum AllCommand: Hashable, Sendable, CaseIterable {
  case start, pause, stop, reset
}

/// Movement through rows or lines.
package enum Movement: Hashable, Sendable, CaseIterable {
  case up, down, pageUp, pageDown, home, end

  /// Returns the position that it leads to; it may be out of range.
  func target(from position: Int, page: Int, last: Int) -> Int {
    switch self {
    case .up: position - 1
    case .down: position + 1
    case .pageUp: position - page
    case .pageDown: position + page
    case .home: 0
    case .end: last
    }
  }
}

/// An edit within a line of text.
package enum Edit: Hashable, Sendable, CaseIterable {
  case left, right, lineStart, lineEnd, eraseBefore, eraseAfter, eraseLine, nextLine
  /// Moves to another field of a dialog, or to another choice.
  case nextField, previousField
}

/// The context that determines the meaning of keys.
package enum KeyContext: Hashable, Sendable, CaseIterable {
  case list
  /// A screen of text that scrolls: details, help, a report.
  case reader
  /// The dialog that adds URLs: letters are text there.
  case add
  /// A dialog with one line: a link or a rate.
  case entry
  /// A yes-or-no question.
  case question
  /// The line in which a filter or a search is typed.
  case query
  case menu

  /// Whether letters are text in this context.
  package var takesText: Bool {
    switch self {
    case .add, .entry, .query: true
    case .list, .reader, .question, .menu: false
    }
  }
}

/// What the list shows, and in which order.
package enum ViewCommand: Hashable, Sendable, CaseIterable {
  case filter, search, findNext, findPrevious
  case sortMenu, columnLeft, columnRight, reverse
  case follow, freeze, history
  /// Hides finished transfers from the list.
  case clearFinished
  /// Ends the first that applies: the search, the filter, the marks, the history.
  case clear
}

/// The position of the selected transfers in the queue.
package enum QueueCommand: Hashable, Sendable, CaseIterable {
  case up, down, toTop, toBottom
  /// By priority.
  case sooner, later
}

/// Marks for controls over many transfers.
package enum MarkCommand: Hashable, Sendable, CaseIterable {
  /// Marks or unmarks the row under the cursor, and moves to the next one.
  case toggle
  /// Marks all that match the filter, including rows that are not visible.
  case all
  case none, invert
}
