/// Where a transfer stands for the person who waits for it.
package enum WorkStage: Hashable, Sendable {
  /// It continues by itself.
  case underWay
  case completed
  case failed
  case needsUser
  /// Not started, not before a date, or stopped or paused by the user.
  case inactive

  package init(_ state: TransferState, _ reason: WaitingReason?) {
    switch state {
    case .queued, .running, .verifying: self = .underWay
    case .waiting: self = reason?.needsUser == true ? .needsUser : .underWay
    case .completed: self = .completed
    case .failed: self = .failed
    case .idle, .scheduled, .paused: self = .inactive
    }
  }
}
