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
  /// The actions that are being undone; they do not expire.
  private var held: Set<Int64> = []

  package init(_ actions: [BinAction] = []) {
    self.actions = actions.sorted { $0.number < $1.number }
    lastNumber = self.actions.last?.number ?? 0
  }

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

  /// Returns the actions that can be undone now, the latest first.
  ///
  /// - Parameter number: leaves only this action; nil leaves all.
  package func undoable(_ number: Int64?) -> [BinAction] {
    actions.reversed().filter { action in
      !held.contains(action.number) && (number ?? action.number) == action.number
    }
  }

  /// Keeps an action from expiring while it is being undone.
  mutating func hold(_ number: Int64) { held.insert(number) }

  mutating func release(_ number: Int64) { held.remove(number) }

  /// Forgets an action that was undone.
  mutating func remove(_ number: Int64) { actions.removeAll { $0.number == number } }

  // MARK: Expiry

  /// Ends the time in which old actions can be undone.
  mutating func expire(at now: WallTime) { expire { $0.expiresAt <= now } }

  /// Ends it for all of them: the disk is full, or the user empties the bin.
  mutating func expireAll() { expire { _ in true } }

  private mutating func expire(where isOver: (BinAction) -> Bool) {
    let over = actions.filter { !held.contains($0.number) && isOver($0) }
    if over.isEmpty { return }
    expired += over
    actions.removeAll { over.contains($0) }
  }

  /// Takes the actions whose files can be deleted.
  package mutating func takeExpired() -> [BinAction] {
    defer { expired = [] }
    return expired
  }

  /// When the next action expires.
  func nextExpiry(at now: Moment) -> MonotonicTime? {
    let next = actions.lazy.filter { !held.contains($0.number) }.map(\.expiresAt).min()
    return next.map { AlarmList.time(of: $0, at: now) }
  }
}
