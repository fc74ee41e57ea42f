/// What the list shows, and in which order.
package enum ViewCommand: Hashable, Sendable, CaseIterable {
  case filter, search, findNext, findPrevious
  case sortMenu, columnLeft, columnRight, reverse
  case follow, freeze, history
  /// Takes what is finished out of view.
  case clearFinished
  /// Ends the search, the filter, the marks, the history: the first of them that there is.
  case clear
}

/// The place of the selected transfers in the queue.
package enum QueueCommand: Hashable, Sendable, CaseIterable {
  case up, down, toTop, toBottom
  /// By priority.
  case sooner, later
}
