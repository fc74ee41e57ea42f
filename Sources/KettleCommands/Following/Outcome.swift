import KettleModel

/// What a transfer has come to, for commands that wait for it.
enum Outcome: Hashable, Sendable {
  /// It goes on by itself, or when whoever paused it starts it again.
  case unfinished
  case completed
  case failed(String)
  /// Waiting for it is in vain: nothing happens until the user does something.
  case needsUser(String)
  /// Listed, but not started; after a start, stopped.
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
