import KettleModel

/// Alerting a user who looks elsewhere: all transfers have ended, or one has failed.
extension DashboardModel {
  /// Compares the new totals with the previous ones; the first totals count as no change.
  func attention(to next: Totals) -> [DashboardEffect] {
    guard window != nil, link.isConnected else { return [] }
    let completed = Self.difference(next.count(.completed), totals.count(.completed))
    let failed = Self.difference(next.count(.failed), totals.count(.failed))
    // Transfers that were paused or removed are no longer under way either. They need no
    // notification: the user did it here.
    let hasEnded = totals.underWayCount > 0 && next.underWayCount == 0 && completed + failed > 0
    guard failed > 0 || hasEnded else { return [] }
    let text =
      hasEnded
      ? Strings.allEnded(failedCount: next.count(.failed)) : Strings.newlyFailed(failed)
    return [.ring, .announce(text)]
  }

  private static func difference(_ next: Int, _ before: Int) -> Int {
    let (difference, overflow) = next.subtractingReportingOverflow(before)
    return overflow ? 0 : min(max(0, difference), 1 << 40)
  }
}

extension Totals {
  /// The number of transfers under way: they run now, or will without the user's help.
  fileprivate var underWayCount: Int {
    [TransferState.queued, .running, .waiting, .verifying].reduce(0) { sum, state in
      let (next, overflow) = sum.addingReportingOverflow(max(0, count(state)))
      return overflow ? .max : next
    }
  }
}
