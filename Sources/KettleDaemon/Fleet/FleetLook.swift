#if Fleet
import KettleControl
import KettleEngine
import KettleFleet
import KettleModel
import KettleSystem

/// The clients that look at the fleet's queue.
///
/// While a client looks, one query a second asks the database for changes, for all of them.
/// Rows are read only after a change. Without such a client, nothing is queried.
final class FleetLook: Sendable {
  fileprivate struct Looker: Sendable {
    let mailbox: ClientMailbox
    /// What it displays; nil for nothing.
    var viewport: Viewport?
    /// The rows that it displays, or has listed last, and their viewport.
    var last: (viewport: Viewport, window: RowWindow)?
    /// Whether its rows have changed since.
    var isDue = false
    var isWatching = false

    /// A window of the same list.
    func near(_ viewport: Viewport) -> RowWindow? {
      guard let last, last.viewport.filter == viewport.filter, last.viewport.sort == viewport.sort
      else { return nil }
      return last.window
    }
  }

  private struct State: Sendable {
    var lookers: [ClientID: Looker] = [:]
    /// Whether changes are asked for.
    var hasLoop = false
    var mark: Int64?
    /// The last known states of transfers in events, for those who watch only some states.
    var states: [TransferID: TransferState] = [:]
    var tickCount = 0
    /// Events of transfers that were added before are changes.
    var watchedSince = WallTime(millisecondsSince1970: 0)

    var isLooking: Bool { lookers.values.contains { $0.viewport != nil || $0.isWatching } }
  }

  /// More changes of one second are not reported one by one.
  static let changeCountMax = 5000
  private static let stateCountMax = 200_000
  /// Hosts report progress this seldom, without a change of the queue.
  private static let progressTicks = 2

  private let state = Mutex(State())
  private let queue: FleetQueue
  private let now: @Sendable () -> WallTime
  private let interval: Duration?

  /// - Parameter interval: between two questions; nil if only `tick` asks.
  init(_ queue: FleetQueue, now: @escaping @Sendable () -> WallTime, interval: Duration?) {
    self.queue = queue
    self.now = now
    self.interval = interval
  }

  // MARK: Requests

  func leave(_ id: ClientID) { state.withLock { $0.lookers[id] = nil } }

  func list(
    _ viewport: Viewport, for client: ConnectedClient
  ) async throws(ControlError) -> RowWindow {
    let near = state.withLock { $0.lookers[client.id]?.near(viewport) }
    let window = try await read(viewport, near: near)
    change(client) { $0.last = (viewport, window) }
    return window
  }

  /// Sends the rows at once. If they cannot be read, the client gets none, and why.
  func subscribe(_ client: ConnectedClient, to viewport: Viewport) async throws(ControlError) {
    _ = try FleetFilter(viewport.filter)
    change(client) { looker in
      (looker.viewport, looker.isDue) = (viewport, false)
    }
    await begin()
    await show(to: client.id)
  }

  func watch(
    _ params: WatchEvents.Params, by client: ConnectedClient
  ) async throws(ControlError) {
    client.mailbox.watch(
      params.includesProgress ? .progress : .states, of: params.session,
      in: params.states.map(Set.init),
      completed: params.gathersCompleted == true ? .gathered : .events,
      lag: params.resynchronises == true ? .resynchronises : .isDropped)
    change(client) { $0.isWatching = true }
    await begin()
  }

  /// The totals of the queue; without its counts while it does not answer.
  func totals() async -> Totals {
    let none = Viewport(count: 0)
    do throws(ControlError) {
      return try await read(none, near: nil).totals
    } catch {
      return unanswered(nil, error).totals
    }
  }

  private func change(_ client: ConnectedClient, _ body: (inout Looker) -> Void) {
    // Nothing is kept for a client that has left during its request.
    guard !client.mailbox.isClosed else { return }
    state.withLock { body(&$0.lookers[client.id, default: Looker(mailbox: client.mailbox)]) }
  }

  // MARK: Changes

  /// Begins to ask for changes, from this moment on.
  private func begin() async {
    let isFirst = state.withLock { state in
      defer { state.hasLoop = true }
      if !state.hasLoop { (state.mark, state.watchedSince) = (nil, now()) }
      return !state.hasLoop
    }
    guard isFirst else { return }
    _ = await askForChanges()
    guard let interval else { return }
    Task(executorPreference: WorkerPool.tasks) {
      repeat {
        do { try await WorkerPool.pause(for: interval) } catch { return }
      } while await self.tick()
    }
  }

  /// Asks for changes and sends new rows. Returns false when no client looks any more.
  func tick() async -> Bool {
    let isLooking = state.withLock { state in
      state.tickCount += 1
      if !state.isLooking { (state.hasLoop, state.states) = (false, [:]) }
      return state.isLooking
    }
    guard isLooking else { return false }
    let hasChanged = await askForChanges()
    let due = state.withLock { state in
      let isTime = state.tickCount.isMultiple(of: Self.progressTicks)
      for (id, looker) in state.lookers where hasChanged || (isTime && looker.showsProgress) {
        state.lookers[id]?.isDue = true
      }
      return state.lookers.filter { $0.value.isDue && $0.value.viewport != nil }
    }
    for (id, looker) in due where !looker.mailbox.hasWindow { await show(to: id) }
    return true
  }

  /// Returns whether the queue has changed, or began or ceased to answer.
  private func askForChanges() async -> Bool {
    let (mark, watchers) = state.withLock { state in
      (state.mark, state.lookers.values.filter(\.isWatching).map(\.mailbox))
    }
    do throws(ControlError) {
      let countMax = mark == nil || watchers.isEmpty ? 1 : Self.changeCountMax
      let changes = try await queue.ask { board throws(FleetError) in
        try board.changes(since: mark, countMax: countMax)
      }
      state.withLock { $0.mark = changes.mark }
      guard let mark else { return true }
      if changes.isIncomplete {
        for mailbox in watchers { mailbox.omitEvents() }
      } else if !watchers.isEmpty {
        for event in events(of: changes) {
          for mailbox in watchers { mailbox.enqueue(SharedEvent(event.event), since: event.before) }
        }
      }
      return changes.mark != mark || !changes.rows.isEmpty || !changes.removed.isEmpty
    } catch {
      // What happens meanwhile is not known.
      if mark != nil { for mailbox in watchers { mailbox.omitEvents() } }
      state.withLock { $0.mark = nil }
      return true
    }
  }

  private func events(
    of changes: FleetChanges
  ) -> [(event: TransferEvent, before: TransferState?)] {
    let now = now()
    return state.withLock { state in
      if state.states.count > Self.stateCountMax { state.states = [:] }
      let changed = changes.rows.map { row in
        let snapshot = TransferSnapshot(row)
        let before = state.states.updateValue(snapshot.state, forKey: snapshot.id)
        let isNew = before == nil && row.createdAt >= state.watchedSince
        let kind: TransferEvent.Kind =
          isNew ? .added : before == snapshot.state ? .progress : .stateChanged
        return (
          TransferEvent(kind: kind, id: snapshot.id, at: now, snapshot: snapshot), before
        )
      }
      let removed = changes.removed.map { id in
        let before = state.states.removeValue(forKey: TransferID(id))
        let snapshot = TransferSnapshot(
          id: TransferID(id), session: .kettle, taskIdentifier: id.rawValue, title: "", url: "",
          state: before ?? .idle, createdAt: now)
        return (
          TransferEvent(kind: .removed, id: snapshot.id, at: now, snapshot: snapshot), before
        )
      }
      return changed + removed
    }
  }

  // MARK: Rows

  /// Reads the rows that a client displays, and sends them unless it has them. If they cannot be
  /// read, the client keeps the last ones and learns since when.
  private func show(to id: ClientID) async {
    guard let looker = state.withLock({ $0.lookers[id] }), let viewport = looker.viewport else {
      return
    }
    let window: RowWindow
    do throws(ControlError) {
      window = try await read(viewport, near: looker.near(viewport))
    } catch {
      window = unanswered(looker.last?.viewport == viewport ? looker.last?.window : nil, error)
    }
    let isNews = state.withLock { state in
      // If the client has moved on meanwhile, the next rows are on their way.
      guard let before = state.lookers[id], before.viewport == viewport else { return false }
      state.lookers[id]?.last = (viewport, window)
      state.lookers[id]?.isDue = false
      return before.last?.viewport != viewport || before.last?.window != window
    }
    if isNews { looker.mailbox.send(window: window) }
  }

  private func read(_ viewport: Viewport, near: RowWindow?) async throws(ControlError) -> RowWindow
  {
    let request = try FleetWindowRequest(viewport, near: near)
    let window = try await queue.ask { board throws(FleetError) in try board.window(request) }
    return RowWindow(
      first: window.first, matchingCount: window.matchingCount,
      rows: window.rows.map { TransferSnapshot($0) },
      totals: Totals(window.tally, queue.glance(at: now())), anchorIndex: window.anchorIndex,
      tag: viewport.tag)
  }

  /// Returns the last window with the reason why there is no newer one.
  private func unanswered(_ last: RowWindow?, _ error: ControlError) -> RowWindow {
    var window = last ?? RowWindow(first: 0, matchingCount: 0, rows: [], totals: Totals())
    let before = window.totals.fleet
    let since = before?.silentSince ?? now()
    window.totals.fleet =
      queue.glance(error.message, at: since)
      ?? FleetGlance(name: before?.name ?? "", problem: error.message, silentSince: since)
    window.totals.bytesPerSecond = 0
    return window
  }
}

extension FleetLook.Looker {
  /// Whether it displays transfers whose hosts report progress.
  fileprivate var showsProgress: Bool {
    viewport != nil && (last?.window.totals.count(.running) ?? 0) > 0
  }
}
#endif
