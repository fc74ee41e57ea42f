import KettleModel

/// The transfers that are being added to the store. The store may return them before the scheduler
/// has admitted them; until then they are ignored.
struct PendingAdds: Sendable {
  /// The ids of each `add` are consecutive.
  private var batches: Set<ClosedRange<TransferID>> = []
  /// Tasks whose bytes moved to new tasks, by the id of the new task.
  private var adopted: [TransferID: TransferMachine] = [:]

  mutating func insert(_ changes: [JournalChange]) {
    if let batch = Self.batch(changes) { batches.insert(batch) }
  }

  /// Records that a new task took the bytes of another one.
  mutating func recordAdoption(by id: TransferID, of machine: TransferMachine) {
    adopted[id] = machine
  }

  /// Forgets an `add` that the store has committed or refused.
  ///
  /// - Returns: the tasks whose bytes moved to the new ones.
  mutating func remove(_ changes: [JournalChange]) -> [TransferMachine] {
    if let batch = Self.batch(changes) { batches.remove(batch) }
    if adopted.isEmpty { return [] }
    return changes.compactMap { change in
      if case .put(let record) = change { adopted.removeValue(forKey: record.id) } else { nil }
    }
  }

  func contains(_ id: TransferID) -> Bool { batches.contains { $0.contains(id) } }

  private static func batch(_ changes: [JournalChange]) -> ClosedRange<TransferID>? {
    let ids = changes.lazy.compactMap { change -> TransferID? in
      if case .put(let record) = change { record.id } else { nil }
    }
    guard let first = ids.first, let last = ids.last else { return nil }
    return first...last
  }
}
