import KettleModel

/// What the dashboard wants done: returned by `DashboardModel.update(_:at:)`.
package enum DashboardEffect: Hashable, Sendable {
  /// Send these rows from now on.
  case subscribe(Viewport)
  case control(ControlVerb, TransferSelection)
  case add([TransferSpec])
  /// Asks which of these URLs are in the list already.
  case findDuplicates([String])
  case remove(TransferSelection, withFile: Bool)
  /// Gives a transfer a fresh link.
  case relink(TransferID, TransferURL.Parsed)
  /// Sets the most bytes a second of transfers, or of everything together; nil is no limit.
  case limit(TransferSelection, Int64?)
  case move(TransferSelection, QueueMove)
  case prioritize(TransferSelection, TransferPriority)
  /// Takes what is finished out of view.
  case clearFinished
  /// Looks for the next transfer with some words.
  case find(RowSearch)
  case reset
  case loadDetails(TransferID)
  /// Opens a finished file with the program that the desktop has for it.
  case openFile(path: String)
  /// For the terminal: puts a text on the clipboard of whoever sits at it.
  case copy(String)
  /// For the terminal: rings, or flashes, as its user set it.
  case ring
  /// For the terminal: tells whoever is not looking, where it can.
  case announce(String)
  /// For the terminal: give it back to the shell until the user returns.
  case suspend
  /// For the terminal: draw every cell anew.
  case redraw
  /// For the terminal: end.
  case leave
}

package enum ControlVerb: Hashable, Sendable, CaseIterable {
  case start, pause, stop
}

/// In the order of the queue.
package enum QueueMove: Hashable, Sendable, CaseIterable {
  case up, down, toTop, toBottom
}
