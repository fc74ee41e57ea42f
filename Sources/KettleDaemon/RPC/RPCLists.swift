import KettleAria2
import KettleControl
import KettleModel

/// The three lists of aria2: what is active, what waits, and what has stopped.
///
/// Front ends read them every second, so the order of each is kept as long as it is asked for.
struct RPCLists: Sendable {
  private let broadcaster: Broadcaster
  private let ledger: RPCLedger
  private let clients: [RowFilter.Stage: ClientID]

  init(_ broadcaster: Broadcaster, _ ledger: RPCLedger) {
    self.broadcaster = broadcaster
    self.ledger = ledger
    clients = Dictionary(
      uniqueKeysWithValues: RowFilter.Stage.allCases.map { ($0, broadcaster.connect().0) })
  }

  /// Gives up what is kept for the lists.
  func end() {
    for client in clients.values { broadcaster.disconnect(client) }
  }

  var bytesPerSecond: Int64 { broadcaster.totals.bytesPerSecond }
  /// For all transfers together; nil means none.
  var limit: Int64? { broadcaster.totals.limitBytesPerSecond }

  /// - Parameter anchor: a transfer whose index is also wanted.
  func window(
    _ stage: RowFilter.Stage, first: Int = 0, count: Int, anchor: TransferID? = nil
  ) async throws(RPCError) -> RowWindow {
    let sort: RowSort = stage == .ended ? RowSort(key: .finishedAt) : RowSort(key: .queue)
    let viewport = Viewport(
      filter: RowFilter(scope: .uncleared, stage: stage), sort: sort, first: first, count: count,
      anchor: anchor)
    do {
      return try await broadcaster.window(viewport, for: clients[stage])
    } catch {
      throw .refused("The list cannot be read; see service.log")
    }
  }

  func count(_ stage: RowFilter.Stage) async throws(RPCError) -> Int {
    try await window(stage, count: 0).matchingCount
  }

  func rows(
    _ stage: RowFilter.Stage, _ range: Range<Int>
  ) async throws(RPCError) -> [TransferSnapshot] {
    var rows: [TransferSnapshot] = []
    var first = range.lowerBound
    while first < range.upperBound {
      let count = min(range.upperBound - first, Viewport.countMax)
      rows += try await window(stage, first: first, count: count).rows
      first += count
    }
    return rows
  }

  /// The transfers whose GIDs are in a range.
  func ids(in range: ClosedRange<GID>) async throws(RPCError) -> [TransferID] {
    let chosen = ledger.chosen(in: range)
    return try await ids(RowFilter()).filter { id in
      chosen.contains(id) || range.contains(GID(id)) && !ledger.hasChosen(id)
    }
  }

  /// Whether any transfer failed or waits.
  var mayHaveStopped: Bool {
    let totals = broadcaster.totals
    return totals.count(.failed) + totals.count(.waiting) > 0
  }

  /// The first transfer of each of these URLs.
  func find(_ urls: [String]) async throws(ControlError) -> [FindURLs.Found] {
    try await broadcaster.find(urls)
  }

  func ids(in states: [TransferState]) async throws(RPCError) -> [TransferID] {
    try await ids(RowFilter(states: states))
  }

  private func ids(_ filter: RowFilter) async throws(RPCError) -> [TransferID] {
    do {
      return try await broadcaster.matching(filter, except: [])
    } catch {
      throw .refused("The list cannot be read; see service.log")
    }
  }
}
