import KettleModel

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
