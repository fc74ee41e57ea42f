import KettleModel

/// The transfers that are on their way to the store. It may name them before the brain knows that
/// it has them, and they are nobody's until then.
struct Arrivals: Sendable {
  /// The ids of each `add` follow one another.
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
