import KettleModel

/// The order in which transfers completed, and up to which of them they are cleared from view.
struct FinishedTransfers: Sendable {
  /// Completed transfers up to this finish number are cleared from view; nil: none ever was.
  private(set) var clearedUpTo: Int64?
  private(set) var lastNumber: Int64

  init(clearedUpTo: Int64? = nil, lastNumber: Int64 = 0) {
    self.clearedUpTo = clearedUpTo
    self.lastNumber = max(clearedUpTo ?? 0, lastNumber)
  }

  func isCleared(_ record: TransferRecord) -> Bool { record.isCleared(upTo: clearedUpTo) }

  /// Assigns a finish number to a transfer that has just completed; removes it when the transfer no
  /// longer is completed.
  mutating func number(_ machine: inout TransferMachine, before: TransferState) {
    if machine.numberFinish(lastNumber + 1, before: before) { lastNumber += 1 }
  }

  /// Clears all completed transfers. Records a single number, however many there are.
  mutating func clear() -> JournalChange {
    clearedUpTo = lastNumber
    return .clearFinished(upTo: lastNumber)
  }

  /// Brings transfers back into view that were cleared since `clearedUpTo` was `earlier`.
  mutating func uncover(clearedUpTo earlier: Int64?) -> JournalChange {
    clearedUpTo = earlier.flatMap { earlier in clearedUpTo.map { min($0, earlier) } }
    return .uncover(clearedUpTo: clearedUpTo)
  }
}
