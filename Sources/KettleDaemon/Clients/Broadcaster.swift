import KettleControl
import KettleEngine
import KettleModel
import KettleSystem
import Logging

/// Sends every client the events and rows that it subscribed to. The engine calls `observe`, the
/// clients call the rest. Nothing here waits for a client, and `observe` does not wait for the
/// store either.
final class Broadcaster: Sendable {
  private struct Client: Sendable {
    let mailbox: ClientMailbox
    var look = Look.none
    /// The view that it listed last: a client that reads a list page by page needs its order for
    /// the next page.
    var listed: RowView?
  }

  /// What a client displays.
  private enum Look: Sendable {
    case none
    case looking(RowView, RowWindowID)
    /// The client has not read the last rows yet, so nothing is kept for the next ones.
    case resting(RowView)
  }

  private struct State: Sendable {
    var clients: [ClientID: Client] = [:]
    var lastClient: UInt64 = 0
  }

  private let state = Mutex(State())
  private let mailboxes: Mailboxes
  private let list: RowList
  private let freeSpace: FreeSpace

  /// - Parameters:
  ///   - freeSpace: the free space on the disk of the documents directory.
  ///   - rows: makes rows from the records of the archive.
  ///   - limits: for the items waiting for clients.
  init(
    freeSpace: FreeSpace, archive: any TransferArchive, rows: RowMaker,
    limits: Mailboxes.Limits = Mailboxes.Limits(), logger: Logger = Logger(label: "kettle")
  ) {
    self.freeSpace = freeSpace
    mailboxes = Mailboxes(limits)
    list = RowList(archive, rows: rows, logger: logger)
  }

  // MARK: What the engine tells

  /// Handles an engine event. Events arrive in order.
  func observe(_ event: EngineEvent, at now: WallTime) {
    let (told, before) = list.update { table in
      let before = Self.changed(event).flatMap { table.row($0)?.state }
      return (Self.take(event, &table, at: now), before)
    }
    let clients = mailboxes.all
    if let told {
      tell(told, since: before, to: clients)
    } else if case .listed(let listed) = event {
      let interested = clients.filter { $0.wants(listed) }
      if !interested.isEmpty {
        // Rows are made only if a client wants them.
        for row in listed.rows {
          tell(
            TransferEvent(kind: .added, id: row.id, at: now, snapshot: row), since: nil,
            to: interested)
        }
      }
    }
    // Also when a row is only loaded or evicted, which changes none: a window that lacked such
    // rows, because they moved during a read of the store, is read again.
    for client in clients { client.refreshViewport() }
  }

  /// All clients share one object, so a client that does not watch, or lags, costs nothing.
  private func tell(
    _ event: TransferEvent, since before: TransferState?, to clients: [ClientMailbox]
  ) {
    guard clients.contains(where: \.isWatching) else { return }
    let shared = SharedEvent(event)
    for client in clients { client.tell(shared, since: before) }
  }

  /// The bytes waiting for all clients together.
  var heldByteCount: Int { mailboxes.heldByteCount }

  /// Returns the transfer whose state may have changed.
  private static func changed(_ event: EngineEvent) -> TransferID? {
    switch event {
    case .changed(let row), .progress(let row, _): row.id
    case .recovered, .added, .listed, .removed, .loaded, .evicted, .cleared, .limited: nil
    }
  }

  /// Returns the event for clients that watch; nil if there is none.
  private static func take(
    _ event: EngineEvent, _ table: inout RowTable, at now: WallTime
  ) -> TransferEvent? {
    switch event {
    case .recovered(let dormant, let clearedUpTo):
      table.begin(dormant, clearedUpTo: clearedUpTo)
      return nil
    case .added(let row):
      table.put(row)
      return TransferEvent(kind: .added, id: row.id, at: now, snapshot: row)
    case .changed(let row):
      let isNews = table.row(row.id).map { row.differsInMoreThanProgress(from: $0) } ?? true
      table.put(row)
      return TransferEvent(
        kind: isNews ? .stateChanged : .progress, id: row.id, at: now, snapshot: row)
    case .progress(let row, let bytesWritten):
      table.put(row)
      return TransferEvent(
        kind: .progress, id: row.id, at: now, snapshot: row, bytesWritten: bytesWritten,
        totalBytesWritten: row.bytesReceived, totalBytesExpected: row.bytesExpected ?? -1)
    case .removed(let row):
      table.remove(row.id)
      return TransferEvent(kind: .removed, id: row.id, at: now, snapshot: row)
    case .listed(let listed): table.list(listed)
    case .loaded(let row): table.wake(row)
    case .evicted(let ids): table.evict(ids)
    case .cleared(let finishNumber): table.clear(upTo: finishNumber)
    case .limited(let bytesPerSecond): table.limit(toBytesPerSecond: bytesPerSecond)
    }
    return nil
  }

  // MARK: Clients

  func join() -> (ClientID, ClientMailbox) {
    let mailbox = mailboxes.join()
    return state.withLock { state in
      state.lastClient += 1
      let id = ClientID(rawValue: state.lastClient)
      state.clients[id] = Client(mailbox: mailbox)
      return (id, mailbox)
    }
  }

  func leave(_ id: ClientID) {
    let (left, isLast) = state.withLock { state in
      let left = state.clients.removeValue(forKey: id)
      return (left, state.clients.isEmpty)
    }
    guard let client = left else { return }
    stop(client.look)
    list.look(from: client.listed, to: nil)
    if isLast { list.update { $0.forgetResting() } }
    mailboxes.leave(client.mailbox)
  }

  /// Subscribes a client to this part of the list.
  func look(_ id: ClientID, at viewport: Viewport) {
    // The client may have left during its request.
    let mailbox: ClientMailbox? = state.withLock { state in
      guard let client = state.clients[id] else { return nil }
      state.clients[id]?.look = turn(client.look, to: RowView(viewport))
      return client.mailbox
    }
    mailbox?.look(at: viewport)
  }

  /// Called when a client does not read its rows: no order and no row is kept for it until rows are
  /// sent to it again.
  func rest(_ id: ClientID) {
    state.withLock { state in
      guard let client = state.clients[id], case .looking(let view, _) = client.look else { return }
      stop(client.look)
      state.clients[id]?.look = .resting(view)
    }
  }

  private func turn(_ look: Look, to view: RowView) -> Look {
    switch look {
    case .looking(let old, let window):
      list.look(from: old, to: view)
      return .looking(view, window)
    case .none, .resting:
      list.look(from: nil, to: view)
      return .looking(view, list.update { $0.openWindow() })
    }
  }

  private func stop(_ look: Look) {
    guard case .looking(let view, let window) = look else { return }
    list.look(from: view, to: nil)
    list.update { $0.closeWindow(window) }
  }

  /// Returns the window that the client displays; nil if there is none.
  private func window(of id: ClientID) -> RowWindowID? {
    state.withLock { state in
      switch state.clients[id]?.look {
      case .looking(_, let window)?: return window
      case .resting(let view)?:
        guard case .looking(_, let window) = turn(.none, to: view) else { return nil }
        state.clients[id]?.look = .looking(view, window)
        return window
      case Look.none?, nil: return nil
      }
    }
  }

  // MARK: What clients ask

  /// Returns the rows that a client displays; nil if it displays something else by now.
  func shown(_ viewport: Viewport, to id: ClientID) async throws(ControlError) -> RowWindow? {
    guard let window = window(of: id) else { return nil }
    return try await list.window(viewport, for: window).map(withFreeSpace)
  }

  /// Returns the rows for one list request.
  func window(
    _ viewport: Viewport, for client: ClientID? = nil
  ) async throws(ControlError) -> RowWindow {
    if let client { list(RowView(viewport), for: client) }
    return withFreeSpace(try await list.window(viewport))
  }

  private func list(_ view: RowView, for id: ClientID) {
    state.withLock { state in
      // Nothing is kept for a client that has left.
      guard let client = state.clients[id] else { return }
      list.look(from: client.listed, to: view)
      state.clients[id]?.listed = view
    }
  }

  private func withFreeSpace(_ window: RowWindow) -> RowWindow {
    var window = window
    window.totals.freeBytes = freeSpace.bytes
    return window
  }

  /// Returns nil when only the store has the row.
  func row(_ id: TransferID) -> TransferSnapshot? { list.update { $0.row(id) } }

  func find(_ urls: [String]) async throws(ControlError) -> [FindURLs.Found] {
    try await list.find(Set(urls))
  }

  func find(_ search: RowSearch) async throws(ControlError) -> FoundRow? {
    try await list.find(search)
  }

  func matching(
    _ filter: RowFilter, except: [TransferID]
  ) async throws(ControlError) -> [TransferID] {
    try await list.matching(filter, except: Set(except))
  }

  var totals: Totals {
    var totals = list.update { $0.totals }
    totals.freeBytes = freeSpace.bytes
    return totals
  }

  /// Whether a connected client is visible to a person; it reports finished transfers itself.
  var isWatchedByPerson: Bool {
    state.withLock { $0.clients.values.contains { $0.mailbox.isWatchedByPerson } }
  }

  /// `.live` if a client displays progress.
  var cadence: ProgressCadence {
    state.withLock { $0.clients.values.contains { $0.mailbox.wantsProgress } ? .live : .quiet }
  }
}

struct ClientID: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt64
}
