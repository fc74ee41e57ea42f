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
