import KettleModel

/// The outcome of a transfer, for commands that wait for it.
enum TransferOutcome: Hashable, Sendable {
  /// It continues by itself, or when the client that paused it starts it again.
  case unfinished
  case completed
  case failed(String)
  /// Waiting is useless: nothing happens until the user acts.
  case needsUser(String)
  /// Listed but not started, or stopped after a start.
  case idle

  init(_ row: TransferSnapshot) {
    switch row.state {
    case .completed: self = .completed
    case .failed: self = .failed(Sentences.failed(row))
    case .idle: self = .idle
    case .waiting:
      self = row.reason?.needsUser == true ? .needsUser(Sentences.needsUser(row)) : .unfinished
    case .scheduled, .queued, .running, .paused, .verifying: self = .unfinished
    }
  }
}
