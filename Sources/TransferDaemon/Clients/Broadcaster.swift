import ControlProtocol
import Synchronization
import TransferEngine
import TransferModel

/// Tells every client what it asked to be told. The engine calls `observe`, the clients call the
/// rest; nothing here waits for a client.
final class Broadcaster: Sendable {
  private struct State: Sendable {
    var table = RowTable()
    var clients: [ClientID: ClientMailbox] = [:]
    /// What each of them looks at.
    var views: [ClientID: RowView] = [:]
    var lastClient: UInt64 = 0

    mutating func look(_ client: ClientID, at view: RowView?) {
      table.look(from: views[client], to: view)
      views[client] = view
    }

    func refreshViewports() {
      for client in clients.values { client.refreshViewport() }
    }
  }

  private let state = Mutex(State())
  private let freeSpace: FreeSpace

  /// - Parameter freeSpace: of the disk of the documents directory.
  init(freeSpace: FreeSpace) { self.freeSpace = freeSpace }

  /// Takes what the engine tells, in its order.
  func observe(_ event: EngineEvent, at now: WallTime) {
    state.withLock { state in
      let told: TransferEvent
      switch event {
      case .added(let row):
        state.table.put(row)
        told = TransferEvent(kind: .added, id: row.id, at: now, snapshot: row)
      case .changed(let row):
        let isNews = state.table.row(row.id).map { row.differsInMoreThanProgress(from: $0) } ?? true
        state.table.put(row)
        told = TransferEvent(
          kind: isNews ? .stateChanged : .progress, id: row.id, at: now, snapshot: row)
      case .progress(let row, let bytesWritten):
        state.table.put(row)
        told = TransferEvent(
          kind: .progress, id: row.id, at: now, snapshot: row, bytesWritten: bytesWritten,
          totalBytesWritten: row.bytesReceived, totalBytesExpected: row.bytesExpected ?? -1)
      case .removed(let row):
        state.table.remove(row.id)
        told = TransferEvent(kind: .removed, id: row.id, at: now, snapshot: row)
      case .recovered, .woken, .slept, .cleared: return state.refreshViewports()
      case .limited(let bytesPerSecond):
        state.table.limit(toBytesPerSecond: bytesPerSecond)
        return state.refreshViewports()
      }
      for client in state.clients.values { client.tell(told) }
    }
  }

  func join() -> (ClientID, ClientMailbox) {
    state.withLock { state in
      state.lastClient += 1
      let id = ClientID(rawValue: state.lastClient)
      let mailbox = ClientMailbox()
      state.clients[id] = mailbox
      return (id, mailbox)
    }
  }

  func leave(_ id: ClientID) {
    let mailbox = state.withLock { state in
      state.look(id, at: nil)
      return state.clients.removeValue(forKey: id)
    }
    mailbox?.close()
  }

  /// A client sees this part of the list from now on.
  func look(_ id: ClientID, at viewport: Viewport) {
    state.withLock { state in
      // It may have left while it was asking.
      guard let mailbox = state.clients[id] else { return }
      state.look(id, at: RowView(viewport))
      mailbox.look(at: viewport)
    }
  }

  func window(_ viewport: Viewport) -> RowWindow {
    let free = freeSpace.bytes
    var window = state.withLock { $0.table.window(viewport, freeBytes: free) }
    window.tag = viewport.tag
    return window
  }

  func row(_ id: TransferID) -> TransferSnapshot? { state.withLock { $0.table.row(id) } }

  func find(_ urls: [String]) -> [FindURLs.Found] {
    state.withLock { $0.table.find(Set(urls)) }
  }

  func find(_ search: RowSearch) -> FoundRow? { state.withLock { $0.table.find(search) } }

  func matching(_ filter: RowFilter, except: [TransferID]) -> [TransferID] {
    state.withLock { $0.table.matching(filter, except: Set(except)) }
  }

  var totals: Totals {
    let free = freeSpace.bytes
    return state.withLock { state in
      var totals = state.table.totals
      totals.freeBytes = free
      return totals
    }
  }

  /// Whether a client is connected that a person looks at: what is finished, it tells itself.
  var isWatchedByPerson: Bool {
    state.withLock { $0.clients.values.contains { $0.isWatchedByPerson } }
  }

  /// Whether somebody looks at the progress.
  var cadence: ProgressCadence {
    state.withLock { $0.clients.values.contains { $0.wantsProgress } ? .live : .quiet }
  }
}

struct ClientID: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt64
}
