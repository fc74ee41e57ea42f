import KettleControl
import KettleEngine
import KettleModel
import KettleSystem
import Logging

/// The list as clients display it: awake rows from memory, dormant rows from the store.
///
/// Callers that report changes never wait: the store is read and long orders are made on other
/// threads, and the lock is held only to apply the result.
final class RowList: Sendable {
  struct State: Sendable {
    var table: RowTable
    var waiters = OrderWaiters()
  }

  let state: Mutex<State>
  let archive: any TransferArchive
  let logger: Logger
  /// One order at a time: a user who types a filter abandons most orders before they start.
  let orders = WorkerPool("kettle.rows.orders", width: 1)
  let reads = WorkerPool("kettle.rows.reads", width: 2)

  init(
    _ archive: any TransferArchive, rows: RowMaker, driftMax: Int = RowIndex.driftMax,
    logger: Logger
  ) {
    self.archive = archive
    self.logger = logger
    state = Mutex(State(table: RowTable(rows, driftMax: driftMax)))
  }

  /// Updates the table, and schedules the orders that it then requests.
  func update<Result: Sendable>(_ body: (inout RowTable) -> Result) -> Result {
    updateState { body(&$0.table) }
  }

  func updateState<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, requested) = state.withLock { state in
      (body(&state), state.table.takeRequestedOrders())
    }
    for view in requested { orders.async { self.makeOrder(of: view) } }
    return result
  }

  /// A client switches from one view to another; nil means none.
  func switchSubscription(from old: RowView?, to new: RowView?) {
    let abandoned = state.withLock { state in
      state.table.switchSubscription(from: old, to: new)
        ? old.map { state.waiters.removeAll(of: $0) } : nil
    }
    for waiter in abandoned ?? [] { waiter.resume(returning: .abandoned) }
  }

  /// Reads from the store on a thread that may block.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any TransferArchive) throws -> Value
  ) async throws(ControlError) -> Value {
    let result: Result<Value, ControlError> = await withCheckedContinuation { done in
      reads.async { [archive, logger] in
        do {
          done.resume(returning: .success(try body(archive)))
        } catch {
          done.resume(returning: .failure(Self.readFailure(error, logger)))
        }
      }
    }
    return try result.get()
  }

  static func readFailure(_ error: any Error, _ logger: Logger) -> ControlError {
    logger.error("The store cannot be read", metadata: ["error": "\(error)"])
    return ControlError(.internalError, "\(error)")
  }
}

/// The making of orders.
extension RowList {
  /// The number of rows examined, or recorded changes applied, while the lock is held.
  private static let stepCount = 256

  /// Waits until the view has an order, which a client displaying it has requested. Returns false
  /// if no client displays it any more.
  func waitForOrder(of view: RowView) async throws(ControlError) -> Bool {
    let ticket = state.withLock { $0.waiters.makeTicket() }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let known: OrderWaiters.Outcome? = updateState { state in
          // An order requested earlier may have failed by now, so it is requested again.
          guard let used = state.table.use(view), !Task.isCancelled else { return .abandoned }
          if used != nil { return .made }
          state.waiters.add(waiter, ticket: ticket, for: view)
          return nil
        }
        if let known { waiter.resume(returning: known) }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiters.remove(ticket: ticket, of: view) }
      waiter?.resume(returning: .abandoned)
    }
    switch outcome {
    case .made: return true
    case .abandoned: return false
    case .failed(let error): throw error
    }
  }

  /// Makes a requested order of a view. Changes that arrive meanwhile are recorded and applied.
  func makeOrder(of view: RowView) {
    guard let source = update({ $0.beginOrder(of: view) }) else { return }
    do {
      var index =
        switch source {
        case .store(let awake, let maker): try readOrder(of: view, awake: awake, maker)
        case .order(let order): RowIndex(compacting: order)
        }
      while !update({ $0.install(index, as: view, changeCountMax: Self.stepCount) }) {
        guard let changes = update({ $0.takeRecordedChanges(of: view) }) else {
          return requestAgain(view)
        }
        for change in changes { index.apply(change) }
      }
      finish(view, .made)
    } catch {
      update { $0.abandonOrder(of: view) }
      finish(view, .failed(Self.readFailure(error, logger)))
    }
  }

  /// Reads the order from the store, and adds what the store may lack.
  private func readOrder(
    of view: RowView, awake: [TransferID], _ maker: RowMaker
  ) throws -> RowIndex {
    var changes: [RowIndex.Change] = []
    for start in stride(from: 0, to: awake.count, by: Self.stepCount) {
      let part = awake[start..<min(start + Self.stepCount, awake.count)]
      changes += update { $0.keys(of: part, in: view) }
    }
    let stored = try archive.order(view.filter, view.sort, rows: maker)
    // Later events are not in the result, and earlier ones are recorded.
    let (recorded, removed) = update { ($0.takeRecordedChanges(of: view) ?? [], $0.removed) }
    return RowIndex(OrderSnapshot(stored), changes: changes + recorded, removed: removed)
  }

  /// Requests the order again if it is still needed: the previous request is obsolete.
  private func requestAgain(_ view: RowView) {
    update { table in
      table.abandonOrder(of: view)
      _ = table.use(view)
    }
  }

  private func finish(_ view: RowView, _ outcome: OrderWaiters.Outcome) {
    let waiters = state.withLock { $0.waiters.removeAll(of: view) }
    for waiter in waiters { waiter.resume(returning: outcome) }
  }
}

/// Searches in the list.
extension RowList {
  /// The number of rows read per step; a search can be cancelled between steps.
  private static let walkStepCount = 256

  /// Returns the next row that the search finds in list order, or the previous one; nil if there is
  /// none.
  func find(_ search: RowSearch) async throws(ControlError) -> FoundRow? {
    guard !search.isEmpty else { return nil }
    let view = RowView(filter: search.filter, sort: search.sort)
    let order = try await currentOrder(of: view)
    guard order.count > 0 else { return nil }
    let start = try await row(search.start).flatMap(RowKeys(view).key)
    let walk = RowWalk(
      count: order.count,
      start: start.map(order.count) ?? min(max(search.startIndex, 0), order.count - 1),
      isBackwards: search.isBackwards, includesStart: search.includesStart)
    let test = RowTest(search.wanted)
    for step in walk.steps(of: Self.walkStepCount) {
      if Task.isCancelled { return nil }
      let ids = order.window(first: step.indices.lowerBound, count: step.indices.count)
      let passing = Set(try await rows(ids).lazy.filter(test.passes).map(\.id))
      let hits = zip(step.indices, ids).filter { passing.contains($0.1) }
      if let hit = search.isBackwards ? hits.last : hits.first {
        return FoundRow(id: hit.1, index: hit.0, hasWrapped: step.hasWrapped)
      }
    }
    return nil
  }

  /// Returns the existing rows, in any order.
  private func rows(_ ids: [TransferID]) async throws(ControlError) -> [TransferSnapshot] {
    let (awake, maker) = update { table in (ids.compactMap(table.row), table.maker) }
    guard awake.count < ids.count else { return awake }
    let known = Set(awake.map(\.id))
    let dormant = ids.filter { !known.contains($0) }.sorted()
    return awake + (try await read { try $0.records(dormant).map(maker.row) })
  }

  private func row(_ id: TransferID?) async throws(ControlError) -> TransferSnapshot? {
    guard let id else { return nil }
    return try await rows([id]).first
  }

  /// Returns the current order of a view.
  private func currentOrder(of view: RowView) async throws(ControlError) -> OrderWithOverlay {
    switchSubscription(from: nil, to: view)
    defer { switchSubscription(from: view, to: nil) }
    while true {
      if let index = update({ $0.use(view) }) ?? nil { return index.order }
      guard try await waitForOrder(of: view) else { throw ControlError(.stopping, "") }
    }
  }

  /// Returns the ids in ascending order, which is the order in which they were added.
  func matching(
    _ filter: RowFilter, except: Set<TransferID>
  ) async throws(ControlError) -> [TransferID] {
    let order = try await currentOrder(of: RowView(filter: filter, sort: RowSort()))
    return order.window(first: 0, count: order.count).filter { !except.contains($0) }.sorted()
  }

  /// Returns the first transfer with each of these URLs.
  func find(_ urls: Set<String>) async throws(ControlError) -> [FindURLs.Found] {
    let maker = update { $0.maker }
    let stored = try await read { try $0.find(urls: urls).map(maker.row) }
    let rows = update { $0.rows(with: urls, stored: stored) }
    var found: [String: FindURLs.Found] = [:]
    for row in rows {
      if let other = found[row.url], other.id < row.id { continue }
      found[row.url] = FindURLs.Found(url: row.url, id: row.id, state: row.state)
    }
    return found.values.sorted { $0.id < $1.id }
  }
}

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
