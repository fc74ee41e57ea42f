import KettleControl
import KettleEngine
import KettleModel
import KettleRPC
import KettleSystem

/// What the RPC knows beyond the list of transfers: the GIDs that clients chose, the downloads that
/// were removed, the settings that clients changed, and what was told about each transfer.
final class RPCLedger: Sendable {
  /// As in aria2, the latest ones are kept.
  static let removedCountMax = 1000
  /// More than aria2 has options.
  static let choiceCountMax = 256

  fileprivate struct State: Sendable {
    var chosen: [TransferID: GID] = [:]
    var ids: [GID: TransferID] = [:]
    var removed = RemovedDownloads(countMax: RPCLedger.removedCountMax)
    var choices: [String: RPCValue] = [:]
    var log = NotificationLog()
    /// Passes a notification to the clients; nil while there are none.
    var send: (@Sendable (RPCValue) -> Void)?
  }

  private let state = Mutex(State())

  // MARK: Names

  func begin(with chosen: [TransferID: GID]) {
    for (id, gid) in chosen { note(gid, of: id) }
  }

  func note(_ gid: GID, of id: TransferID) {
    state.withLock {
      $0.chosen[id] = gid
      $0.ids[gid] = id
    }
  }

  func gid(of id: TransferID) -> GID { state.withLock { $0.gid(of: id) } }

  /// The transfer that may have this GID.
  func transferID(of gid: GID) -> TransferID {
    state.withLock { $0.ids[gid] } ?? gid.transferID
  }

  /// The chosen GIDs in a range, with their transfers.
  func chosen(in range: ClosedRange<GID>) -> Set<TransferID> {
    state.withLock { Set($0.chosen.filter { range.contains($0.value) }.keys) }
  }

  /// Whether the transfer has a GID that a client chose.
  func hasChosen(_ id: TransferID) -> Bool { state.withLock { $0.chosen[id] != nil } }

  // MARK: Removed downloads

  /// The oldest first.
  var removed: [RPCDownload] { state.withLock { $0.removed.all } }

  func removed(in range: ClosedRange<GID>) -> [RPCDownload] {
    removed.filter { range.contains($0.gid) }
  }

  func forgetRemoved(_ gid: GID) { state.withLock { $0.removed.forget(gid) } }
  func forgetAllRemoved() { state.withLock { $0.removed.forgetAll() } }

  // MARK: Settings

  /// Options for downloads that do not have them themselves, until the service ends.
  var choices: [String: RPCValue] { state.withLock { $0.choices } }

  /// Returns false, and changes nothing, if there would be too many.
  func choose(_ options: [String: RPCValue]) -> Bool {
    state.withLock { state in
      let all = state.choices.merging(options) { $1 }
      guard all.count <= Self.choiceCountMax else { return false }
      state.choices = all
      return true
    }
  }

  // MARK: Notifications

  /// - Parameter send: passes a notification to the clients; nil for none.
  func tell(with send: (@Sendable (RPCValue) -> Void)?) { state.withLock { $0.send = send } }

  /// Called for every event of the engine, in order.
  func observe(_ event: EngineEvent) {
    let (told, send) = state.withLock { state in (state.note(event), state.send) }
    guard let (gid, notification) = told, let send else { return }
    send(notification.message(gid))
  }
}

extension RPCLedger.State {
  fileprivate func gid(of id: TransferID) -> GID { chosen[id] ?? GID(id) }

  /// Returns the notification for an event, and the download that it is about; nil for none.
  fileprivate mutating func note(_ event: EngineEvent) -> (GID, RPCNotification)? {
    switch event {
    case .added(let row):
      // An undo brings it back.
      let gid = gid(of: row.id)
      removed.forget(gid)
      return log.note(row, isNew: true).map { (gid, $0) }
    case .changed(let row):
      return log.note(row).map { (gid(of: row.id), $0) }
    case .removed(let row):
      let gid = gid(of: row.id)
      let notification = log.noteRemoved(row)
      if notification != nil { keepRemoved(row, gid) }
      return notification.map { (gid, $0) }
    case .recovered, .listed, .progress, .loaded, .evicted, .cleared, .uncovered, .limited,
      .queues,
      .hooksDue:
      return nil
    }
  }

  private mutating func keepRemoved(_ row: TransferSnapshot, _ gid: GID) {
    var download = RPCDownload(gid: gid, row: row)
    download.isRemoved = true
    download.row.bytesPerSecond = 0
    download.row.connections = 0
    removed.keep(download)
  }
}

/// The downloads that were removed last, in the order of their removal. Each operation takes
/// constant time on average, because `remove --all` removes a hundred thousand.
struct RemovedDownloads: Sendable {
  private struct Entry: Sendable {
    var number: Int
    var download: RPCDownload
  }

  let countMax: Int
  /// Up to twice as many as are kept, so that the surplus is dropped at once.
  private var entries: [GID: Entry] = [:]
  /// Every entry is in it; the entry of one that was forgotten has another number or is gone.
  private var order: [(number: Int, gid: GID)] = []
  private var lastNumber = 0

  init(countMax: Int) { self.countMax = countMax }

  /// The oldest first.
  var all: [RPCDownload] { Array(order.compactMap { entry($0)?.download }.suffix(countMax)) }

  /// Keeps a download. Forgets the oldest ones if there are too many.
  mutating func keep(_ download: RPCDownload) {
    lastNumber += 1
    entries[download.gid] = Entry(number: lastNumber, download: download)
    order.append((lastNumber, download.gid))
    guard order.count >= 2 * countMax else { return }
    order = order.filter { entry($0) != nil }
    let surplus = max(0, order.count - countMax)
    for oldest in order.prefix(surplus) { entries[oldest.gid] = nil }
    order.removeFirst(surplus)
  }

  mutating func forget(_ gid: GID) { entries[gid] = nil }

  mutating func forgetAll() {
    entries = [:]
    order = []
  }

  private func entry(_ place: (number: Int, gid: GID)) -> Entry? {
    entries[place.gid].flatMap { $0.number == place.number ? $0 : nil }
  }
}

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
