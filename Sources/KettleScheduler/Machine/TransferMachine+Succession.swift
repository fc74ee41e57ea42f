import KettleModel

/// A transfer that takes over the bytes of an earlier one.
extension TransferMachine {
  /// Whether it stopped for good with bytes that another transfer may continue.
  var canSurrenderBytes: Bool {
    guard facts.resumeData != nil, !isTask else { return false }
    return switch state {
    case .failed: true
    case .waiting(let waiting): waiting.reason.needsUser
    case .idle, .scheduled, .queued, .running, .ending, .paused, .verifying, .discarding, .placing,
      .completed, .removed:
      false
    }
  }

  /// Whether it has not begun.
  var canInheritBytes: Bool {
    guard facts.resumeData == nil, !isTask else { return false }
    return switch state {
    case .paused, .queued: true
    case .idle, .scheduled, .running, .ending, .waiting, .verifying, .discarding, .placing,
      .completed, .failed, .removed:
      false
    }
  }
}
