import KettleModel

/// The actions of the user that can be undone, and when their files are deleted.
///
/// The entries (the transfers as they were) are only in the store, so that removing a million
/// transfers needs no memory.
package struct TransferBin: Sendable {
  /// The oldest first.
  package private(set) var actions: [BinAction]
  /// Actions that cannot be undone any more and whose files still exist, the oldest first.
  package private(set) var expired: [BinAction] = []
  private var lastNumber: Int64

  package init(_ actions: [BinAction] = []) {
    self.actions = actions.sorted { $0.number < $1.number }
    lastNumber = self.actions.last?.number ?? 0
  }

  package var isEmpty: Bool { actions.isEmpty }

  /// Returns a new action. It takes effect with its first entry.
  ///
  /// The number contains the time, so that no file of an earlier bin has the same name.
  package mutating func open(_ kind: BinAction.Kind, at now: WallTime) -> BinAction {
    lastNumber = max(lastNumber + 1, now.millisecondsSince1970)
    return BinAction(number: lastNumber, kind: kind, at: now)
  }

  /// Notes that an action is used. Returns the change that records it; nil when it is recorded.
  mutating func note(_ action: BinAction) -> JournalChange? {
    if actions.contains(where: { $0.number == action.number }) { return nil }
    actions.append(action)
    actions.sort { $0.number < $1.number }
    return .bin(.putAction(action))
  }

  /// Returns the action with this number, or the latest one; nil when there is none.
  package func action(_ number: Int64?) -> BinAction? {
    guard let number else { return actions.last }
    return actions.first { $0.number == number }
  }

  /// Forgets an action that was undone.
  mutating func remove(_ number: Int64) { actions.removeAll { $0.number == number } }

  // MARK: Expiry

  /// Ends the time in which old actions can be undone.
  mutating func expire(at now: WallTime) { expire { $0.expiresAt <= now } }

  /// Ends it for all of them: the disk is full, or the user empties the bin.
  mutating func expireAll() { expire { _ in true } }

  private mutating func expire(where isOver: (BinAction) -> Bool) {
    guard actions.contains(where: isOver) else { return }
    expired += actions.filter(isOver)
    actions.removeAll(where: isOver)
  }

  /// Takes the actions whose files can be deleted.
  package mutating func takeExpired() -> [BinAction] {
    defer { expired = [] }
    return expired
  }

  /// When the next action expires. The wall clock can be set at any time, so it is checked every
  /// minute.
  func nextExpiry(at now: Moment) -> MonotonicTime? {
    guard let first = actions.map(\.expiresAt).min() else { return nil }
    let (distance, overflow) = first.millisecondsSince1970.subtractingReportingOverflow(
      now.wall.millisecondsSince1970)
    let milliseconds = overflow ? Self.checkMilliseconds : min(distance, Self.checkMilliseconds)
    return now.monotonic.advanced(byMilliseconds: max(0, milliseconds))
  }

  static let checkMilliseconds: Int64 = 60_000
}
