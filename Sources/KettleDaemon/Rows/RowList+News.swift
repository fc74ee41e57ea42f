import KettleControl
import KettleEngine
import KettleModel

/// What happened while no dashboard was open.
extension RowList {
  /// - Parameter startedAt: when the service started.
  func news(since time: WallTime, startedAt: WallTime) async throws(ControlError) -> TransferNews {
    // The store has the ends of all transfers, including those in memory, but not the times at
    // which they began to wait.
    var news = try await read { try $0.news(since: time) }
    for reason in update({ $0.needs(since: time, startedAt: startedAt) }) {
      news.addWaiting(for: reason)
    }
    return news
  }
}

extension RowTable {
  /// Returns, for each transfer that waits for the user and began to at this time or later, what it
  /// needs. A waiting transfer is never dormant.
  ///
  /// - Parameter startedAt: when the service started. A transfer that waited before counts as
  ///   waiting since then, because the earlier time is unknown.
  func needs(since time: WallTime, startedAt: WallTime) -> [WaitingReason] {
    rows.values.compactMap { row in
      guard let reason = row.reason, reason.needsUser else { return nil }
      return row.heldBack?.since ?? startedAt >= time ? reason : nil
    }
  }
}
