/// What happened to the transfers since a time, for a user who did not watch.
package struct TransferNews: Codable, Hashable, Sendable {
  package var since: WallTime
  package var completedCount = 0
  /// The size of the completed ones together.
  package var completedByteCount: Int64 = 0
  package var failedCount = 0
  /// The transfers that began to wait for the user and still do, by what they need.
  package var needsLinkCount = 0
  package var needsLoginCount = 0
  package var needsDecisionCount = 0

  package init(since: WallTime) { self.since = since }

  package var isEmpty: Bool {
    let counts = [
      completedCount, failedCount, needsLinkCount, needsLoginCount, needsDecisionCount,
    ]
    return counts.allSatisfy { $0 <= 0 }
  }

  /// Saturates, because the store may contain any size.
  package mutating func addCompleted(byteCount: Int64) {
    completedCount += 1
    let (sum, overflow) = completedByteCount.addingReportingOverflow(max(0, byteCount))
    completedByteCount = overflow ? .max : sum
  }

  /// Ignores reasons that do not need the user.
  package mutating func addWaiting(for reason: WaitingReason) {
    switch reason {
    case .needsLink: needsLinkCount += 1
    case .needsLogin: needsLoginCount += 1
    case .needsDecision: needsDecisionCount += 1
    case .retry, .retryAfter, .network, .hostUnreachable, .proxy, .diskSpace, .discretionary: break
    }
  }
}
