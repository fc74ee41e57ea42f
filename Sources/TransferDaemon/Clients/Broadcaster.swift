import ControlProtocol
import Logging
import KettleSystem
import TransferEngine
import TransferModel

/// Tells every client what it asked to be told. The engine calls `observe`, the clients call the
/// rest; nothing here waits for a client, and `observe` not for the store either.
final class Broadcaster: Sendable {
  private struct Client: Sendable {
    let mailbox: ClientMailbox
    /// What it looks at.
    var view: RowView?
    /// What it listed last: whoever reads a list page by page needs its order for the next one.
    var listed: RowView?
    var window: RowWindowID
  }

  private struct State: Sendable {
    var clients: [ClientID: Client] = [:]
    var lastClient: UInt64 = 0
  }

  private let state = Mutex(State())
  private let list: RowList
  private let freeSpace: FreeSpace

  /// - Parameters:
  ///   - freeSpace: of the disk of the documents directory.
  ///   - rows: what is made of the records of the archive.
  init(
    freeSpace: FreeSpace, archive: any TransferArchive, rows: RowMaker,
    logger: Logger = Logger(label: "kettle")
  ) {
    self.freeSpace = freeSpace
    list = RowList(archive, rows: rows, logger: logger)
  }

  // MARK: What the engine tells

  /// Takes what the engine tells, in its order.
  func observe(_ event: EngineEvent, at now: WallTime) {
    let (told, before) = list.update { table in
      let before = Self.changed(event).flatMap { table.row($0)?.state }
      return (Self.take(event, &table, at: now), before)
    }
    let mailboxes = state.withLock { $0.clients.values.map(\.mailbox) }
    // Also of what wakes up or falls asleep, by which no row becomes another: a window from which
    // rows were left out, because they did so while the store was asked, is looked at again.
    for mailbox in mailboxes {
      if let told {
        mailbox.tell(told, since: before)
      } else if case .listed(let listed) = event {
        mailbox.tell(listed, at: now)
      } else {
        mailbox.refreshViewport()
      }
    }
  }

  /// Whose state may be another than before.
  private static func changed(_ event: EngineEvent) -> TransferID? {
    switch event {
    case .changed(let row), .progress(let row, _): row.id
    case .recovered, .added, .listed, .removed, .woken, .slept, .cleared, .limited: nil
    }
  }

  /// Answers what those who watch events are told; nil when they are not.
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
    case .woken(let row): table.wake(row)
    case .slept(let ids): table.letGo(ids)
    case .cleared(let finishNumber): table.clear(upTo: finishNumber)
    case .limited(let bytesPerSecond): table.limit(toBytesPerSecond: bytesPerSecond)
    }
    return nil
  }

  // MARK: Clients

  func join() -> (ClientID, ClientMailbox) {
    let window = list.update { $0.openWindow() }
    return state.withLock { state in
      state.lastClient += 1
      let id = ClientID(rawValue: state.lastClient)
      let mailbox = ClientMailbox()
      state.clients[id] = Client(mailbox: mailbox, window: window)
      return (id, mailbox)
    }
  }

  func leave(_ id: ClientID) {
    let (left, isLast) = state.withLock { state in
      let left = state.clients.removeValue(forKey: id)
      return (left, state.clients.isEmpty)
    }
    guard let client = left else { return }
    list.look(from: client.view, to: nil)
    list.look(from: client.listed, to: nil)
    list.update { table in
      table.closeWindow(client.window)
      if isLast { table.forgetResting() }
    }
    client.mailbox.close()
  }

  /// A client sees this part of the list from now on.
  func look(_ id: ClientID, at viewport: Viewport) {
    // It may have left while it was asking.
    guard let mailbox = turn(id, \.view, to: RowView(viewport)) else { return }
    mailbox.look(at: viewport)
  }

  /// Nothing is looked at by one who has left.
  private func turn(
    _ id: ClientID, _ view: WritableKeyPath<Client, RowView?>, to new: RowView
  ) -> ClientMailbox? {
    state.withLock { state in
      guard let client = state.clients[id] else { return nil }
      list.look(from: client[keyPath: view], to: new)
      state.clients[id]?[keyPath: view] = new
      return client.mailbox
    }
  }

  // MARK: What clients ask

  /// The rows that a client looks at; nil when it looks elsewhere by now.
  func shown(_ viewport: Viewport, to id: ClientID) async throws(ControlError) -> RowWindow? {
    guard let window = state.withLock({ $0.clients[id]?.window }) else { return nil }
    return try await list.window(viewport, for: window).map(withFreeSpace)
  }

  /// The rows that somebody lists.
  func window(
    _ viewport: Viewport, for client: ClientID? = nil
  ) async throws(ControlError) -> RowWindow {
    if let client { _ = turn(client, \.listed, to: RowView(viewport)) }
    return withFreeSpace(try await list.window(viewport))
  }

  private func withFreeSpace(_ window: RowWindow) -> RowWindow {
    var window = window
    window.totals.freeBytes = freeSpace.bytes
    return window
  }

  /// nil when the store alone has it.
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

  /// Whether a client is connected that a person looks at: what is finished, it tells itself.
  var isWatchedByPerson: Bool {
    state.withLock { $0.clients.values.contains { $0.mailbox.isWatchedByPerson } }
  }

  /// Whether somebody looks at the progress.
  var cadence: ProgressCadence {
    state.withLock { $0.clients.values.contains { $0.mailbox.wantsProgress } ? .live : .quiet }
  }
}

struct ClientID: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt64
}
