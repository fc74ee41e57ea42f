import KettleClient
import KettleControl
import KettleDashboard
import KettleModel
import KettleSystem

/// The dashboard's link to the service: effects go in, messages come out.
///
/// One task maintains the connection and forwards what the service sends. Another performs effects
/// one at a time, so that a pause after a start is sent after it.
package final class DashboardSession: Sendable {
  package let messages: AsyncStream<DashboardMessage>

  private let output: AsyncStream<DashboardMessage>.Continuation
  private let effects: AsyncStream<DashboardEffect>.Continuation
  private let link: Mutex<Link>
  private let tasks = Mutex<[Task<Void, Never>]>([])
  /// The most recently requested viewport. An older one that is still unsent is skipped, as while a
  /// filter is typed faster than it is applied.
  private let wantedViewport = Mutex<Viewport?>(nil)
  private let lastTotals = Mutex(Totals())
  private let lastNotices = Mutex<[String]>([])
  private let reconnection: Reconnection
  private let clock: any CommandClock
  private let filesAreHere: Bool

  private enum Link {
    case up(any ServiceCalling)
    case down
  }

  /// Connects to the service and starts it when none is running.
  package static func open(
    _ request: DashboardRequest, in context: CommandContext
  ) async throws -> DashboardSession {
    let reconnection = Reconnection(
      context: context, address: request.address,
      client: ClientIdentity(request.client, isWatchedByPerson: true))
    let service = try await reconnection.connect(startIfNeeded: true)
    return DashboardSession(service, reconnection: reconnection, request: request)
  }

  private init(
    _ service: any ServiceCalling, reconnection: Reconnection, request: DashboardRequest
  ) {
    filesAreHere = request.filesAreHere
    self.reconnection = reconnection
    clock = reconnection.context.clock
    link = Mutex(.up(service))
    (messages, output) = AsyncStream.makeStream()
    let (inputs, effects) = AsyncStream<DashboardEffect>.makeStream()
    self.effects = effects
    let keeper = Task { await maintainConnection(service) }
    let worker = Task {
      for await effect in inputs { await execute(effect) }
    }
    tasks.withLock { $0 = [keeper, worker] }
  }

  /// Returns at once; results arrive as messages. Ignores effects meant for the terminal.
  package func perform(_ effect: DashboardEffect) {
    if case .subscribe(let viewport) = effect { wantedViewport.withLock { $0 = viewport } }
    effects.yield(effect)
  }

  /// How many transfers continue by themselves, according to the latest totals.
  package var continuingCount: Int {
    let totals = lastTotals.withLock { $0 }
    return TransferState.allCases.filter(\.continuesByItself).reduce(0) { $0 + totals.count($1) }
  }

  package func close() async {
    effects.finish()
    output.finish()
    let running = tasks.withLock { tasks in
      defer { tasks = [] }
      return tasks
    }
    for task in running { task.cancel() }
    if let service = change(to: .down) { await service.close() }
  }
}

// MARK: - Connection

extension DashboardSession {
  private func maintainConnection(_ first: any ServiceCalling) async {
    var service = first
    while !Task.isCancelled {
      output.yield(.linkChanged(.connected))
      await reportNotices(of: service)
      for await notification in service.notifications {
        switch notification {
        case .viewport(let window):
          let rows = ListWindow(
            first: window.first, matchingCount: window.matchingCount, rows: window.rows,
            anchorIndex: window.anchorIndex, tag: window.tag, groups: window.groups)
          lastTotals.withLock { $0 = window.totals }
          output.yield(.rowsArrived(rows, window.totals))
        // Events are not subscribed to, and the newest window always arrives.
        case .event, .completed, .resynchronise: break
        }
      }
      _ = change(to: .down)
      await service.close()
      guard !Task.isCancelled else { return }
      output.yield(.linkChanged(.lost))
      guard let next = await nextService() else { return }
      service = next
      _ = change(to: .up(next))
    }
    await service.close()
  }

  /// Forwards the service's notices when they have changed. A missing reply means a broken
  /// connection, which the caller detects anyway.
  private func reportNotices(of service: any ServiceCalling) async {
    guard let status = try? await service.call(ServiceStatus.self, Nothing()) else { return }
    let notices = status.notices.map { $0.sanitizedForDisplay(limit: 1000) }
    let hasChanged = lastNotices.withLock { last in
      defer { last = notices }
      return last != notices
    }
    if hasChanged { output.yield(.serviceReported(notices)) }
  }

  /// Reconnects until it succeeds, and reports once if the service was stopped. Returns nil when
  /// the session is closed.
  private func nextService() async -> (any ServiceCalling)? {
    var failureCount = 1
    while true {
      await clock.wait(
        milliseconds: reconnection.pauseMilliseconds(afterFailures: failureCount))
      guard !Task.isCancelled else { return nil }
      do {
        switch try await reconnection.attempt(failureCount: failureCount) {
        case .connected(let service): return service
        case .stopped:
          if failureCount == Reconnection.failureCountBeforeStopped {
            output.yield(.linkChanged(.stopped))
          }
        case .notYet: break
        }
      } catch {
        fail(error)
      }
      failureCount += 1
    }
  }

  /// Returns the service that was connected until now.
  private func change(to next: Link) -> (any ServiceCalling)? {
    link.withLock { link in
      defer { link = next }
      switch link {
      case .up(let service): return service
      case .down: return nil
      }
    }
  }

  private func currentService() throws -> any ServiceCalling {
    try link.withLock { link in
      switch link {
      case .up(let service): return service
      case .down: throw ClientError.connectionLost
      }
    }
  }

  private func fail(_ error: any Error) {
    for sentence in Sentences.report(of: error).sentences {
      output.yield(.commandFinished(.failed(sentence: sentence)))
    }
  }
}

// MARK: - Effects

extension DashboardSession {
  private func execute(_ effect: DashboardEffect) async {
    do {
      // These need no connection.
      if case .openFile(let path) = effect { return try open(path) }
      if case .startService = effect { return try await startService() }
      if let message = try await message(for: effect, currentService()) { output.yield(message) }
    } catch {
      switch effect {
      case .loadDetails(let id):
        let sentence = Sentences.report(of: error).sentences.joined(separator: "; ")
        output.yield(.commandFinished(.detailsFailed(id, sentence: sentence)))
      case .add:
        let sentence = Sentences.report(of: error).sentences.joined(separator: "; ")
        output.yield(.commandFinished(.addFailed(sentence: sentence)))
      // The dashboard requests its rows again after reconnecting. Adding works without knowing
      // duplicates.
      case .subscribe, .findDuplicates: break
      case .find(let search):
        output.yield(.found(search, nil))
        fail(error)
      case .control, .remove, .relink, .limit, .move, .prioritize, .clearFinished, .reset,
        .undo, .startService, .openFile, .copy, .ring, .announce, .suspend, .redraw, .leave:
        fail(error)
      }
    }
  }

  private func message(
    for effect: DashboardEffect, _ service: any ServiceCalling
  ) async throws -> DashboardMessage? {
    switch effect {
    case .subscribe(let viewport):
      guard wantedViewport.withLock({ $0 }) == viewport else { return nil }
      _ = try await service.call(SubscribeViewport.self, viewport)
      return nil
    case .control(let verb, let selection):
      let result = try await service.call(
        ControlTransfers.self, .init(control: verb.asControl, selection: selection))
      return .commandFinished(
        .controlled(
          verb, appliedCount: result.applied.count,
          refused: result.refused.map(\.forDashboard)))
    case .add(let specs):
      let adder = FormAdder(service: service, filesAreHere: filesAreHere)
      return .commandFinished(.added(count: try await adder.add(specs)))
    case .findDuplicates(let urls):
      let adder = FormAdder(service: service, filesAreHere: filesAreHere)
      return .duplicatesFound(try await adder.find(urls))
    case .remove(let selection, let withFile):
      let result = try await service.call(
        ControlTransfers.self,
        .init(control: withFile ? .removeWithFile : .remove, selection: selection))
      return .commandFinished(.removed(count: result.applied.count))
    case .relink(let id, let link):
      let result = try await service.call(RelinkTransfer.self, .init(id: id, link: link))
      return .commandFinished(.relinked(refused: result.refused.map(\.forDashboard)))
    case .limit(let selection, let bytesPerSecond):
      let result = try await service.call(
        LimitSpeed.self, .init(selection: selection, bytesPerSecond: bytesPerSecond))
      return .commandFinished(
        .limited(bytesPerSecond: bytesPerSecond, refused: result.refused.map(\.forDashboard)))
    case .move(let selection, let move):
      let result = try await service.call(
        MoveTransfers.self, .init(selection: selection, way: move.asWay))
      return .commandFinished(.moved(appliedCount: result.applied.count))
    case .prioritize(let selection, let priority):
      let result = try await service.call(
        PrioritizeTransfers.self, .init(selection: selection, priority: priority))
      return .commandFinished(.prioritized(priority, appliedCount: result.applied.count))
    case .clearFinished:
      let result = try await service.call(ClearFinished.self, .init())
      return .commandFinished(.cleared(count: result.clearedCount))
    case .find(let search):
      let result = try await service.call(FindTransfer.self, search)
      return .found(search, result.found)
    case .reset:
      let result = try await service.call(ResetTransfers.self, .init())
      return .commandFinished(
        .reset(deletedCount: result.deletedPaths.count, keptPaths: result.keptPaths))
    case .undo:
      let undone = try await service.call(UndoAction.self, .init())
      return .commandFinished(
        .undone(
          UndoOutcome(
            undone.kind, restoredCount: undone.restored.count + undone.uncoveredCount,
            busyCount: undone.busy.count)))
    case .loadDetails(let id):
      let details = try await service.call(DescribeTransfer.self, .init(id: id))
      return .detailsArrived(TransferDetailsView(details))
    case .startService, .openFile, .copy, .ring, .announce, .suspend, .redraw, .leave: return nil
    }
  }

  /// Starts the service. The task that maintains the connection then finds it running.
  private func startService() async throws {
    let service = try await reconnection.connect(startIfNeeded: true, mayAsk: false)
    await service.close()
  }
}

// MARK: - Opening files

extension DashboardSession {
  private func open(_ path: String) throws {
    let opener = FileOpener(
      environment: reconnection.context.environment, filesAreHere: filesAreHere)
    try opener.open(path) { [output] problem in
      output.yield(.commandFinished(.failed(sentence: Sentences.of(problem))))
    }
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
