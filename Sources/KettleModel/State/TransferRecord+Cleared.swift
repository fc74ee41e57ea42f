extension TransferRecord {
  /// Whether it is out of view; see `TransferState.isCleared`.
  package func isCleared(upTo clearedUpTo: Int64?) -> Bool {
    state.isCleared(finishNumber: finishNumber, upTo: clearedUpTo)
  }
}

extension TransferState {
  /// Whether a transfer in this state is finished and was cleared from view since. A transfer that
  /// is reset or started again is in view again.
  ///
  /// - Parameters:
  ///   - finishNumber: `TransferRecord.finishNumber`; nil counts as finished before all others.
  ///   - clearedUpTo: The greatest number that was cleared; nil if none ever was.
  package func isCleared(finishNumber: Int64?, upTo clearedUpTo: Int64?) -> Bool {
    guard self == .completed, let clearedUpTo else { return false }
    return finishNumber ?? 0 <= clearedUpTo
  }
}
