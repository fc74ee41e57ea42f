import KettleModel
import KettleScheduler

/// What rows need from the engine to say why their transfers do not move, and when they will be
/// complete.
struct RowExplanations: Sendable {
  var census: QueueCensus
  var outlook: QueueOutlook
  /// Since when transfers are queued.
  var since: [TransferID: WallTime] = [:]
  /// The number of connections that transfers have of their own.
  var connections: [TransferID: Int] = [:]

  /// Returns the row with what is known about it now. The outlook may be older than the row.
  func explain(_ row: TransferSnapshot) -> TransferSnapshot {
    var row = row
    let expectation = outlook.expectation(
      of: row.id, priority: row.priority, position: row.queuePosition ?? 0)
    row.readyAt = row.state.continuesByItself ? expectation?.readyAt : nil
    guard row.state == .queued, case .success(let parsed) = TransferURL.parse(row.url) else {
      return row
    }
    var heldBack = census.heldBack(
      QueueCensus.Place(
        origin: parsed.url.origin, session: row.session, queue: row.queueOfUser,
        priority: row.priority, connections: connections[row.id]))
    heldBack.rank = expectation?.rank
    heldBack.since = since[row.id]
    // A host's limit rises for the first one in the queue; the others start later.
    let isLater = heldBack.cause == .hostLimit && heldBack.rank != 1
    heldBack.until = (isLater ? nil : heldBack.until) ?? expectation?.startsAt
    row.heldBack = heldBack
    return row
  }
}

extension TransferState {
  fileprivate var continuesByItself: Bool {
    switch self {
    case .scheduled, .queued, .running, .waiting, .verifying: true
    case .idle, .paused, .completed, .failed: false
    }
  }
}
