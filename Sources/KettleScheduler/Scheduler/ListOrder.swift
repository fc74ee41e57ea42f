import KettleModel

/// The user's list, which the queue follows: the positions of the loaded transfers, and the ends of
/// the whole list.
struct ListOrder: Sendable {
  private var loaded = SortedBlocks<QueuePosition>()
  /// No transfer of the list is before the first or after the last position.
  private var first: Int64 = 1
  private var last: Int64 = 0

  init() {}

  /// - Parameter positions: the first and last position of the whole list; nil when it is empty.
  init(loaded records: [TransferRecord], positions: ClosedRange<Int64>?) {
    loaded = SortedBlocks(sorted: records.map(QueuePosition.init).sorted())
    let starts = [positions?.lowerBound, loaded.first?.position].compactMap { $0 }
    first = min(1, starts.min() ?? 1)
    last = max(0, positions?.upperBound ?? 0, loaded.last?.position ?? 0)
  }

  /// The position at the end of the list, for a new transfer.
  mutating func nextPosition() -> Int64 {
    last += 1
    return last
  }

  mutating func insert(_ position: QueuePosition) { loaded.insert(position) }
  mutating func remove(_ position: QueuePosition) { loaded.remove(position) }

  /// Moves transfers; they keep their order among each other.
  ///
  /// - Parameter isPassed: whether a transfer counts as a neighbour. Others are skipped.
  /// - Returns: the new positions of the moved transfers and of those that make room.
  mutating func move(
    _ moving: [QueuePosition], _ move: QueueMove,
    past isPassed: (TransferID) -> Bool = { _ in true }
  ) -> [TransferID: Int64] {
    let moving = moving.sorted()
    switch move {
    case .up: return exchange(moving, past: isPassed) { $0.element(before: $1) }
    case .down: return exchange(moving.reversed(), past: isPassed) { $0.element(after: $1) }
    case .toTop: return moveToTop(moving)
    case .toBottom: return moveToBottom(moving)
    }
  }

  /// Gives transfers each other's positions, so that they follow one another in this order.
  ///
  /// - Returns: the positions that changed.
  mutating func arrange(_ wanted: [QueuePosition]) -> [TransferID: Int64] {
    var positions: [TransferID: Int64] = [:]
    for (one, place) in zip(wanted, wanted.sorted()) where one.position != place.position {
      loaded.remove(one)
      positions[one.id] = place.position
    }
    for (id, position) in positions {
      loaded.insert(QueuePosition(position: position, id: id))
    }
    return positions
  }

  /// Gives transfers positions that they had before.
  mutating func restore(_ places: [ControlLog.Place]) {
    for one in places { loaded.remove(QueuePosition(position: one.after, id: one.id)) }
    for one in places { loaded.insert(QueuePosition(position: one.before, id: one.id)) }
  }

  /// Exchanges each with its neighbour, starting with the one that is first in the direction. A
  /// neighbour that moves as well is blocked, and blocks those behind it.
  private mutating func exchange(
    _ moving: [QueuePosition], past isPassed: (TransferID) -> Bool,
    with neighbour: (SortedBlocks<QueuePosition>, QueuePosition) -> QueuePosition?
  ) -> [TransferID: Int64] {
    let ids = Set(moving.map(\.id))
    var positions: [TransferID: Int64] = [:]
    for one in moving {
      var next = neighbour(loaded, one)
      while let skipped = next, !ids.contains(skipped.id), !isPassed(skipped.id) {
        next = neighbour(loaded, skipped)
      }
      guard let other = next, !ids.contains(other.id) else { continue }
      loaded.remove(one)
      loaded.remove(other)
      loaded.insert(QueuePosition(position: other.position, id: one.id))
      loaded.insert(QueuePosition(position: one.position, id: other.id))
      positions[one.id] = other.position
      positions[other.id] = one.position
    }
    return positions
  }

  private mutating func moveToTop(_ moving: [QueuePosition]) -> [TransferID: Int64] {
    guard loaded.window(first: 0, count: moving.count) != moving else { return [:] }
    first -= Int64(moving.count)
    return renumber(moving, from: first)
  }

  private mutating func moveToBottom(_ moving: [QueuePosition]) -> [TransferID: Int64] {
    let end = loaded.window(first: loaded.count - moving.count, count: moving.count)
    guard end != moving else { return [:] }
    let start = last + 1
    last += Int64(moving.count)
    return renumber(moving, from: start)
  }

  private mutating func renumber(
    _ moving: [QueuePosition], from start: Int64
  ) -> [TransferID: Int64] {
    var positions: [TransferID: Int64] = [:]
    for (index, one) in moving.enumerated() {
      let position = start + Int64(index)
      loaded.remove(one)
      loaded.insert(QueuePosition(position: position, id: one.id))
      positions[one.id] = position
    }
    return positions
  }
}

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

/// Hands out identifiers. Those of transfers and tasks are unique across restarts, those of
/// attempts and operations until the next one.
struct IDSource: Sendable {
  private var lastTransfer: TransferID
  private var lastAttempt: UInt64 = 0
  private var lastOperation: UInt64 = 0
  private var lastTasks: [SessionID: Int64]

  init(lastTransfer: TransferID, lastTasks: [SessionID: Int64]) {
    self.lastTransfer = lastTransfer
    self.lastTasks = lastTasks
  }

  mutating func nextTransfer() -> TransferID {
    lastTransfer = TransferID(rawValue: lastTransfer.rawValue + 1)
    return lastTransfer
  }

  mutating func nextAttempt() -> AttemptID {
    lastAttempt += 1
    return AttemptID(rawValue: lastAttempt)
  }

  mutating func nextOperation() -> OperationID {
    lastOperation += 1
    return OperationID(rawValue: lastOperation)
  }

  mutating func next() -> FreshIDs {
    FreshIDs(attempt: nextAttempt(), operation: nextOperation())
  }

  // MARK: Tasks

  /// Clients may supply any number; above this one there would be no next.
  private static let taskMax = Int64(1) << 62

  func lastTask(of session: SessionID) -> Int64 { lastTasks[session] ?? 0 }

  /// Returns the wanted number if it is larger than all before it, else the next one.
  mutating func nextTask(in session: SessionID, wanted: Int64?) -> Int64 {
    let last = lastTask(of: session)
    var next = last + 1
    if let wanted, wanted > last, wanted < Self.taskMax { next = wanted }
    lastTasks[session] = next
    return next
  }

  /// Makes the numbers of tasks that could not be added available again, if none was assigned
  /// since: the program retries with the same ones.
  mutating func withdrawTasks(_ numbers: [Int64], in session: SessionID) {
    guard let first = numbers.min(), numbers.max() == lastTasks[session] else { return }
    lastTasks[session] = first - 1
  }
}
