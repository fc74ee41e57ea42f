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
    let processID: Int64
    let mailbox: ClientMailbox
    var display = Display.none
    /// The view that it listed last: a client that reads a list page by page needs its order for
    /// the next page.
    var listed: RowView?
  }

  /// What a client displays.
  private enum Display: Sendable {
    case none
    case live(RowView, RowWindowID)
    /// The client has not read the last rows yet, so nothing is kept for the next ones.
    case suspended(RowView)
  }

  private struct State: Sendable {
    var clients: [ClientID: Client] = [:]
    var lastClient: UInt64 = 0
    /// The user's queues, in the order of their groups.
    var queues: [QueueName] = [.standard]

    /// Returns the order with the user's queues, if its groups depend on them.
    func inQueues(_ sort: RowSort) -> RowSort {
      var sort = sort
      sort.queues = sort.grouping == .queues ? queues : []
      return sort
    }
  }

  private let state = Mutex(State())
  let mailboxes: Mailboxes
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

  // MARK: Engine events

  /// Handles an engine event. Events arrive in order.
  func observe(_ event: EngineEvent, at now: WallTime) {
    if case .queues(let names) = event { setQueues(names) }
    let (clientEvent, before) = list.update { table in
      let before = Self.changed(event).flatMap { table.row($0)?.state }
      return (Self.apply(event, to: &table, at: now), before)
    }
    let clients = mailboxes.all
    if let clientEvent {
      send(clientEvent, since: before, to: clients)
    } else if case .listed(let listed) = event {
      let interested = clients.filter { $0.wants(listed) }
      if !interested.isEmpty {
        // Rows are made only if a client wants them.
        for row in listed.rows {
          send(
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
  private func send(
    _ event: TransferEvent, since before: TransferState?, to clients: [ClientMailbox]
  ) {
    guard clients.contains(where: \.isWatching) else { return }
    let shared = SharedEvent(event)
    for client in clients { client.deliver(shared, since: before) }
  }

  /// Returns the transfer whose state may have changed.
  private static func changed(_ event: EngineEvent) -> TransferID? {
    switch event {
    case .changed(let row), .progress(let row, _): row.id
    case .recovered, .added, .listed, .removed, .loaded, .evicted, .cleared,
      .uncovered, .limited, .queues, .hooksDue:
      nil
    }
  }

  /// Updates the table. Returns the event for clients that watch; nil if there is none.
  private static func apply(
    _ event: EngineEvent, to table: inout RowTable, at now: WallTime
  ) -> TransferEvent? {
    switch event {
    case .recovered(let dormant, let members, let clearedUpTo):
      table.begin(dormant, members: members, clearedUpTo: clearedUpTo)
      return nil
    case .added(let row):
      table.update(row)
      return TransferEvent(kind: .added, id: row.id, at: now, snapshot: row)
    case .changed(let row):
      let isNews = table.row(row.id).map { row.differsInMoreThanProgress(from: $0) } ?? true
      table.update(row)
      return TransferEvent(
        kind: isNews ? .stateChanged : .progress, id: row.id, at: now, snapshot: row)
    case .progress(let row, let bytesWritten):
      table.update(row)
      return TransferEvent(
        kind: .progress, id: row.id, at: now, snapshot: row, bytesWritten: bytesWritten,
        totalBytesWritten: row.bytesReceived, totalBytesExpected: row.bytesExpected ?? -1)
    case .removed(let row):
      table.remove(row.id)
      return TransferEvent(kind: .removed, id: row.id, at: now, snapshot: row)
    case .listed(let listed): table.add(listed)
    case .loaded(let row): table.load(row)
    case .evicted(let ids): table.evict(ids)
    case .cleared(let finishNumber): table.clear(upTo: finishNumber)
    case .uncovered(let clearedUpTo, let count, let residents):
      table.uncover(clearedUpTo: clearedUpTo, clearedCount: count, residents: residents)
    case .limited(let limit): table.setLimit(limit)
    case .queues, .hooksDue: break
    }
    return nil
  }

  // MARK: Clients

  /// - Parameter processID: 0 if it is unknown.
  func connect(processID: Int64 = 0) -> (ClientID, ClientMailbox) {
    let mailbox = mailboxes.open()
    return state.withLock { state in
      state.lastClient += 1
      let id = ClientID(rawValue: state.lastClient)
      state.clients[id] = Client(processID: processID, mailbox: mailbox)
      return (id, mailbox)
    }
  }

  func disconnect(_ id: ClientID) {
    let (left, isLast) = state.withLock { state in
      let left = state.clients.removeValue(forKey: id)
      return (left, state.clients.isEmpty)
    }
    guard let client = left else { return }
    end(client.display)
    list.switchSubscription(from: client.listed, to: nil)
    if isLast { list.update { $0.dropIdleOrders(rowCountMax: 0) } }
    mailboxes.close(client.mailbox)
  }

  /// Subscribes a client to this part of the list.
  func subscribe(_ id: ClientID, to viewport: Viewport) {
    state.withLock { state in
      // The client may have left during its request.
      guard let client = state.clients[id] else { return }
      var viewport = viewport
      viewport.sort = state.inQueues(viewport.sort)
      state.clients[id]?.display = switchDisplay(client.display, to: RowView(viewport))
      client.mailbox.subscribe(to: viewport)
    }
  }

  /// Changes the user's queues, and the groups of the clients that display them.
  private func setQueues(_ queues: [QueueName]) {
    state.withLock { state in
      state.queues = queues
      for (id, client) in state.clients {
        guard var viewport = client.mailbox.viewport, viewport.sort.grouping == .queues else {
          continue
        }
        viewport.sort = state.inQueues(viewport.sort)
        switch client.display {
        case .none: continue
        case .live:
          state.clients[id]?.display = switchDisplay(client.display, to: RowView(viewport))
        case .suspended: state.clients[id]?.display = .suspended(RowView(viewport))
        }
        client.mailbox.subscribe(to: viewport)
      }
    }
  }

  /// Called when a client does not read its rows: no order and no row is kept for it until rows are
  /// sent to it again.
  func suspendDisplay(of id: ClientID) {
    state.withLock { state in
      guard let client = state.clients[id], case .live(let view, _) = client.display else { return }
      end(client.display)
      state.clients[id]?.display = .suspended(view)
    }
  }

  private func switchDisplay(_ display: Display, to view: RowView) -> Display {
    switch display {
    case .live(let old, let window):
      list.switchSubscription(from: old, to: view)
      return .live(view, window)
    case .none, .suspended:
      list.switchSubscription(from: nil, to: view)
      return .live(view, list.update { $0.openWindow() })
    }
  }

  private func end(_ display: Display) {
    guard case .live(let view, let window) = display else { return }
    list.switchSubscription(from: view, to: nil)
    list.update { $0.closeWindow(window) }
  }

  /// Returns the window that the client displays; nil if there is none.
  private func window(of id: ClientID) -> RowWindowID? {
    state.withLock { state in
      switch state.clients[id]?.display {
      case .live(_, let window)?: return window
      case .suspended(let view)?:
        guard case .live(_, let window) = switchDisplay(.none, to: view) else { return nil }
        state.clients[id]?.display = .live(view, window)
        return window
      case Display.none?, nil: return nil
      }
    }
  }

  // MARK: Queries of clients

  /// Returns the rows that a client displays; nil if it displays something else by now.
  func displayedRows(of viewport: Viewport, for id: ClientID) async throws(ControlError)
    -> RowWindow?
  {
    guard let window = window(of: id) else { return nil }
    return try await list.window(viewport, for: window).map(withFreeSpace)
  }

  /// Returns the rows for one list request.
  func window(
    _ viewport: Viewport, for client: ClientID? = nil
  ) async throws(ControlError) -> RowWindow {
    var viewport = viewport
    viewport.sort = state.withLock { $0.inQueues(viewport.sort) }
    if let client { recordListed(RowView(viewport), by: client) }
    return withFreeSpace(try await list.window(viewport))
  }

  /// Keeps the order of the view until the client lists another one.
  private func recordListed(_ view: RowView, by id: ClientID) {
    state.withLock { state in
      // Nothing is kept for a client that has left.
      guard let client = state.clients[id] else { return }
      list.switchSubscription(from: client.listed, to: view)
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
    var search = search
    search.sort = state.withLock { $0.inQueues(search.sort) }
    return try await list.find(search)
  }

  /// Records how a hook of a transfer ended.
  func hookEnded(_ run: HookRun) { list.update { $0.hookEnded(run) } }

  /// Returns the row of a collection with how far its files are, and any other row as it is.
  func filled(_ row: TransferSnapshot) -> TransferSnapshot {
    list.update { $0.collections.filled(row) }
  }

  /// How the latest hook of a transfer failed; nil if it did not.
  func failedHook(of id: TransferID) -> String? { list.update { $0.maker.failedHooks[id] } }

  func matching(
    _ filter: RowFilter, except: [TransferID]
  ) async throws(ControlError) -> [TransferID] {
    try await list.matching(filter, except: Set(except))
  }

  func news(since time: WallTime, startedAt: WallTime) async throws(ControlError) -> TransferNews {
    try await list.news(since: time, startedAt: startedAt)
  }

  var totals: Totals {
    var totals = list.update { $0.totals }
    totals.freeBytes = freeSpace.bytes
    return totals
  }

  /// Whether a connected client is visible to a person; it reports finished transfers itself. One
  /// that is suspended is not.
  var isWatchedByPerson: Bool {
    let watched = state.withLock {
      $0.clients.values.filter(\.mailbox.isWatchedByPerson).map(\.processID)
    }
    return watched.contains { !ProcessState.isStopped($0) }
  }

  /// `.live` if a client displays progress.
  var cadence: ProgressCadence {
    state.withLock { $0.clients.values.contains { $0.mailbox.wantsProgress } ? .live : .quiet }
  }
}

extension TransferSnapshot {
  /// Whether anything except the byte count and values derived from it changed. Each checkpoint
  /// changes the record, and events for an unchanged state are useless.
  func differsInMoreThanProgress(from before: TransferSnapshot) -> Bool {
    var same = before
    same.bytesReceived = bytesReceived
    same.bytesPerSecond = bytesPerSecond
    same.secondsLeft = secondsLeft
    same.connections = connections
    same.heldBack = heldBack
    same.readyAt = readyAt
    same.readyAtIsGuess = readyAtIsGuess
    // Moving a transfer changes the positions of others, to which nothing happened.
    same.queuePosition = queuePosition
    return self != same
  }
}
