import KettleControl

/// The tasks that wait for the order of a view.
struct OrderWaiters: Sendable {
  enum Outcome: Sendable {
    case made
    /// No client displays the view any more, or the waiting task was cancelled.
    case abandoned
    case failed(ControlError)
  }

  typealias Waiter = CheckedContinuation<Outcome, Never>

  private var waiters: [RowView: [UInt64: Waiter]] = [:]
  private var lastTicket: UInt64 = 0

  /// Returns a number that identifies a waiter.
  mutating func makeTicket() -> UInt64 {
    lastTicket += 1
    return lastTicket
  }

  mutating func add(_ waiter: Waiter, ticket: UInt64, for view: RowView) {
    waiters[view, default: [:]][ticket] = waiter
  }

  mutating func removeAll(of view: RowView) -> [Waiter] {
    waiters.removeValue(forKey: view).map { Array($0.values) } ?? []
  }

  /// Returns nil if the task does not wait any more.
  mutating func remove(ticket: UInt64, of view: RowView) -> Waiter? {
    let waiter = waiters[view]?.removeValue(forKey: ticket)
    if waiters[view]?.isEmpty == true { waiters[view] = nil }
    return waiter
  }
}
