/// Everything that a key can mean.
package enum DashboardCommand: Hashable, Sendable {
  case row(RowCommand)
  case mark(MarkCommand)
  case view(ViewCommand)
  case queue(QueueCommand)
  case all(ListCommand)
  case move(Movement)
  case edit(Edit)
  case details(DetailsCommand)
  case take(TakeCommand)
  /// Opens the dialog that adds URLs; `addNow` adds what stands in it.
  case add, addNow
  /// Takes what stands in a dialog of one line.
  case enterNow
  /// Takes the filter or the search that stands in the line below the list.
  case takeField
  /// Takes the line of the menu.
  case choose
  /// Closes what is read.
  case back
  /// Yes to a question; `cancel` is no, and leaves a dialog.
  case confirm, cancel
  case help, redraw, suspend, leave
}

/// For the marked transfers, else the one under the cursor.
package enum RowCommand: Hashable, Sendable, CaseIterable {
  case start, pause, stop, remove, removeWithFile, details
  /// Opens the dialog for a fresh link, or for a speed limit.
  case relink, limit

  /// Whether it shows something of a row, which must have been sent for that.
  var needsRow: Bool {
    switch self {
    case .relink, .limit, .details: true
    case .start, .pause, .stop, .remove, .removeWithFile: false
    }
  }
}

/// From a transfer to elsewhere.
package enum TakeCommand: Hashable, Sendable, CaseIterable {
  case copyURL, copyPath, openFile
}

/// For all transfers.
package enum ListCommand: Hashable, Sendable, CaseIterable {
  case start, pause, stop, reset
}

/// Through rows or lines.
package enum Movement: Hashable, Sendable, CaseIterable {
  case up, down, pageUp, pageDown, home, end

  /// Where it leads from `position`; may lie outside of what is there.
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

/// In a line of text.
package enum Edit: Hashable, Sendable, CaseIterable {
  case left, right, lineStart, lineEnd, eraseBefore, eraseAfter, eraseLine, nextLine
  /// To another field of a dialog, or another choice.
  case nextField, previousField
}

/// What is open, as far as the meaning of keys goes.
package enum KeyContext: Hashable, Sendable, CaseIterable {
  case list
  /// Something that is read and scrolled: details, help, a report.
  case reader
  /// The dialog that adds URLs: letters are text there.
  case add
  /// A dialog of one line: a link or a rate.
  case entry
  /// A question that is answered with yes or no.
  case question
  /// The line in which a filter or a search is typed.
  case query
  case menu
}
