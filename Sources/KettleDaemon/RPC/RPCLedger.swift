import KettleAria2
import KettleEngine
import KettleModel
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
    var removed: [RPCDownload] = []
    var choices: [String: RPCValue] = [:]
    var log = NotificationLog()
  }

  private let state = Mutex(State())
  private let tell = Mutex<(@Sendable (RPCValue) -> Void)?>(nil)

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

  var removed: [RPCDownload] { state.withLock { $0.removed } }

  func removed(in range: ClosedRange<GID>) -> [RPCDownload] {
    removed.filter { range.contains($0.gid) }
  }

  func forgetRemoved(_ gid: GID) { state.withLock { $0.removed.removeAll { $0.gid == gid } } }
  func forgetAllRemoved() { state.withLock { $0.removed = [] } }

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
  func tell(with send: (@Sendable (RPCValue) -> Void)?) { tell.withLock { $0 = send } }

  /// Called for every event of the engine, in order.
  func observe(_ event: EngineEvent) {
    let told: (GID, RPCNotification)? = state.withLock { state in
      switch event {
      case .added(let row):
        // An undo brings it back.
        let gid = state.gid(of: row.id)
        state.removed.removeAll { $0.gid == gid }
        return state.log.note(row, isNew: true).map { (state.gid(of: row.id), $0) }
      case .changed(let row):
        return state.log.note(row).map { (state.gid(of: row.id), $0) }
      case .removed(let row):
        let gid = state.gid(of: row.id)
        let notification = state.log.noteRemoved(row)
        if notification != nil { state.keepRemoved(row, gid) }
        return notification.map { (gid, $0) }
      case .recovered, .listed, .progress, .loaded, .evicted, .cleared, .uncovered, .limited,
        .queues,
        .hooksDue:
        return nil
      }
    }
    guard let (gid, notification) = told, let send = tell.withLock({ $0 }) else { return }
    send(notification.message(gid))
  }
}

extension RPCLedger.State {
  fileprivate func gid(of id: TransferID) -> GID { chosen[id] ?? GID(id) }

  fileprivate mutating func keepRemoved(_ row: TransferSnapshot, _ gid: GID) {
    var download = RPCDownload(gid: gid, row: row)
    download.isRemoved = true
    download.row.bytesPerSecond = 0
    download.row.connections = 0
    removed.removeAll { $0.gid == gid }
    removed.append(download)
    if removed.count > RPCLedger.removedCountMax { removed.removeFirst() }
  }
}
