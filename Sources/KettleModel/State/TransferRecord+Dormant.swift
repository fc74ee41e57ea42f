extension TransferRecord {
  /// Whether it does nothing by itself until a request or its turn in the queue: then it may be
  /// kept only in the store. A list of a million is nearly all of this kind.
  ///
  /// Tasks of a program stay in memory: their end, conditions and answers are reported to the
  /// program as they occur.
  package var isDormant: Bool {
    guard spec.task == nil else { return false }
    return switch state {
    case .queued, .paused, .completed: true
    case .failed: finishedAt != nil
    // A crash left bytes that must still be deleted.
    case .idle: resumeData == nil
    case .scheduled, .running, .waiting, .verifying: false
    }
  }
}
