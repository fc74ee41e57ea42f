import KettleModel

/// The transfers that are being added to the store. The store may return them before the scheduler
/// has admitted them; until then they are ignored.
struct Arrivals: Sendable {
  /// The ids of each `add` are consecutive.
  private var batches: Set<ClosedRange<TransferID>> = []

  mutating func insert(_ changes: [JournalChange]) {
    if let batch = Self.batch(changes) { batches.insert(batch) }
  }

  mutating func remove(_ changes: [JournalChange]) {
    if let batch = Self.batch(changes) { batches.remove(batch) }
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
