extension TransferRecord {
  /// Whether nothing about it happens by itself before somebody asks for it or its turn in the line
  /// comes: then the store alone may have it. A list of a million is nearly all of this kind.
  ///
  /// What a program asked for stays in memory: its end, its conditions and its answers are told to
  /// the program when they come.
  package var isDormant: Bool {
    guard spec.task == nil else { return false }
    return switch state {
    case .queued, .paused, .completed: true
    case .failed: finishedAt != nil
    // A crash left bytes that are still to be deleted.
    case .idle: resumeData == nil
    case .scheduled, .running, .waiting, .verifying: false
    }
  }
}
