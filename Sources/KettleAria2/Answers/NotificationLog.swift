import KettleModel

/// Which notifications were sent about the transfers that are not finished, so that each is sent
/// once.
package struct NotificationLog: Sendable {
  private enum Told: Sendable {
    case nothing
    case paused
    /// It may wait and run again without another word.
    case started
  }

  private var told: [TransferID: Told] = [:]

  package init() {}

  /// - Parameter isNew: whether the transfer was just added.
  /// - Returns: what to tell about a transfer that is in this state now.
  package mutating func note(_ row: TransferSnapshot, isNew: Bool = false) -> RPCNotification? {
    // Stopped, or about to be removed.
    if row.state == .idle { return nil }
    let before = told[row.id]
    switch RPCStatus(row.state, row.reason) {
    case .active:
      told[row.id] = .started
      return before == .started ? nil : .started
    case .paused:
      told[row.id] = .paused
      return before == .paused || isNew ? nil : .paused
    case .waiting:
      // After a pause it starts again.
      if before != .started { told[row.id] = .nothing }
      return nil
    case .complete: return forget(row.id) ? .completed : nil
    case .error: return forget(row.id) ? .failed : nil
    case .removed: return forget(row.id) ? .removed : nil
    }
  }

  /// - Returns: what to tell about a transfer that was removed from the list.
  package mutating func noteRemoved(_ row: TransferSnapshot) -> RPCNotification? {
    _ = forget(row.id)
    return RPCStatus(row.state, row.reason).isStopped ? nil : .removed
  }

  /// Returns whether it was unfinished so far.
  private mutating func forget(_ id: TransferID) -> Bool { told.removeValue(forKey: id) != nil }
}
