import KettleModel

/// When whoever is not looking is told: everything has come to its end, or something failed.
extension DashboardModel {
  /// By what changed since the numbers before; the first ones are no change.
  func attention(to next: Totals) -> [DashboardEffect] {
    guard window != nil, link.isConnected else { return [] }
    let completed = Self.difference(next.count(.completed), totals.count(.completed))
    let failed = Self.difference(next.count(.failed), totals.count(.failed))
    // What was paused or taken off the list is no longer under way either, and nobody has to be
    // told: it was done here.
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
  /// What goes on by itself, now or after a while.
  fileprivate var underWayCount: Int {
    [TransferState.queued, .running, .waiting, .verifying].reduce(0) { sum, state in
      let (next, overflow) = sum.addingReportingOverflow(max(0, count(state)))
      return overflow ? .max : next
    }
  }
}
