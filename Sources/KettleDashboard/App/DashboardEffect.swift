import KettleModel

/// A side effect for the caller to perform; returned by `Dashboard.update(_:at:)`.
package enum DashboardEffect: Hashable, Sendable {
  /// Replaces the subscription: from now on the service sends these rows.
  case subscribe(Viewport)
  case control(ControlVerb, TransferSelection)
  case add([TransferSpec])
  /// Finds which of these URLs are already in the list.
  case findDuplicates([String])
  case remove(TransferSelection, withFile: Bool)
  /// Replaces the URL of a transfer.
  case relink(TransferID, TransferURL.Parsed)
  /// Limits transfers, or all of them together, in bytes per second; nil removes the limit.
  case limit(TransferSelection, Int64?)
  case move(TransferSelection, QueueMove)
  case prioritize(TransferSelection, TransferPriority)
  /// Moves transfers to one of the user's queues.
  case assign(TransferSelection, QueueName)
  /// Hides finished transfers from the list.
  case clearFinished
  /// Finds the next transfer that contains certain words.
  case find(RowSearch)
  case reset
  case bin(BinRequest)
  /// Lists the hosts.
  case loadHosts
  /// Starts the service after the user has stopped it.
  case startService
  case loadDetails(TransferID)
  /// Opens a finished file with the desktop's default program for it.
  case openFile(path: String)
  /// Stores the choices for the next run.
  case remember(DashboardChoices)
  /// For the terminal: copies a text to the clipboard of the user's terminal.
  case copy(String)
  /// For the terminal: rings or flashes, as the user configured it.
  case ring
  /// For the terminal: shows a desktop notification, where the terminal supports it.
  case announce(String)
  /// For the terminal: returns it to the shell until the user resumes the dashboard.
  case suspend
  /// For the terminal: redraws every cell.
  case redraw
  /// For the terminal: ends the dashboard.
  case leave
}

/// What to do with the actions that can be undone.
package enum BinRequest: Hashable, Sendable {
  case list
  /// Undoes an action; without a number the latest one.
  case undo(Int64?)
  /// Deletes everything that can be undone.
  case empty
}

package enum ControlVerb: Hashable, Sendable, CaseIterable {
  case start, pause, stop
  /// Takes what arrived in place of the file as the file, or trusts the server's certificate.
  case accept
  /// Applies the login and the trusted certificates of a transfer to all from the same hosts.
  case remember
}

/// A move within the queue.
package enum QueueMove: Hashable, Sendable, CaseIterable {
  case up, down, toTop, toBottom
}
