import TransferModel

/// What the dashboard wants done: returned by `DashboardModel.update(_:at:)`.
package enum DashboardEffect: Hashable, Sendable {
  /// Send these rows from now on.
  case subscribe(first: Int, count: Int)
  case control(ControlVerb, ControlTarget)
  case add([TransferSpec])
  case remove([TransferID], withFile: Bool)
  /// Gives a transfer a fresh link.
  case relink(TransferID, TransferURL.Parsed)
  /// Sets the most bytes a second of transfers; nil is no limit.
  case limit([TransferID], Int64?)
  case reset
  case loadDetails(TransferID)
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

package enum ControlTarget: Hashable, Sendable {
  case ids([TransferID])
  /// All that the control makes sense for.
  case all
}
