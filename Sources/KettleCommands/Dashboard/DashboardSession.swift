import KettleControl
import KettleDashboard
import KettleModel
import KettleSocket
import KettleStarter
import KettleSystem

/// The dashboard's link to the service: effects go in, messages come out.
///
/// One task maintains the connection and forwards what the service sends. Another performs effects
/// one at a time, so that a pause after a start is sent after it.
package final class DashboardSession: Sendable {
  package let messages: AsyncStream<DashboardMessage>

  let output: AsyncStream<DashboardMessage>.Continuation
  private let effects: AsyncStream<ServiceEffect>.Continuation
  private let link: Mutex<Link>
  private let tasks = Mutex<[Task<Void, Never>]>([])
  /// The most recently requested viewport. An older one that is still unsent is skipped, as while a
  /// filter is typed faster than it is applied.
  let wantedViewport = Mutex<Viewport?>(nil)
  private let lastTotals = Mutex(Totals())
  private let lastNotices = Mutex<[String]>([])
  let reconnection: Reconnection
  private let clock: any CommandClock
  private let choicesFile: ChoicesFile
  let filesAreHere: Bool

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
    choicesFile = request.choicesFile
    self.reconnection = reconnection
    clock = reconnection.context.clock
    link = Mutex(.up(service))
    (messages, output) = AsyncStream.makeStream()
    let (inputs, effects) = AsyncStream<ServiceEffect>.makeStream()
    self.effects = effects
    let keeper = Task { await maintainConnection(service) }
    let worker = Task {
      for await effect in inputs { await execute(effect) }
    }
    tasks.withLock { $0 = [keeper, worker] }
  }

  /// Returns at once; results arrive as messages.
  package func perform(_ effect: ServiceEffect) {
    if case .remember(let choices) = effect { return choicesFile.write(choices) }
    if case .subscribe(let viewport) = effect { wantedViewport.withLock { $0 = viewport } }
    effects.yield(effect)
  }

  /// How many transfers continue by themselves, according to the latest totals.
  package var continuingCount: Int {
    let totals = lastTotals.withLock { $0 }
    let count = TransferState.allCases.filter(\.continuesByItself)
      .reduce(0) { $0 + totals.count($1) }
    return max(0, count - (totals.needsUserCount ?? 0))
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
    await choicesFile.finish()
  }
}

// MARK: - Connection

extension DashboardSession {
  private func maintainConnection(_ first: any ServiceCalling) async {
    var service = first
    var isFirst = true
    while !Task.isCancelled {
      output.yield(.linkChanged(.connected))
      await reportNotices(of: service)
      var hasRows = false
      for await notification in service.notifications {
        switch notification {
        case .viewport(let window):
          let rows = ListWindow(
            first: window.first, matchingCount: window.matchingCount, rows: window.rows,
            anchorIndex: window.anchorIndex, tag: window.tag, groups: window.groups)
          lastTotals.withLock { $0 = window.totals }
          output.yield(.rowsArrived(rows, window.totals))
          if !hasRows { announceDashboard(to: service, reportsNews: isFirst) }
          (hasRows, isFirst) = (true, false)
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
    let version = Sentences.otherVersion(status)
    let notices = ([version].compactMap(\.self) + status.notices).map {
      $0.sanitizedForDisplay(limit: 1000)
    }
    let hasChanged = lastNotices.withLock { last in
      defer { last = notices }
      return last != notices
    }
    if hasChanged { output.yield(.serviceReported(notices)) }
  }

  /// Announces that a dashboard is open, as each connection does after its first rows, which do not
  /// wait for the reply. The first one forwards what happened before. A service of an earlier
  /// version refuses the request.
  private func announceDashboard(to service: any ServiceCalling, reportsNews: Bool) {
    Task { [output] in
      guard let reply = try? await service.call(ReportNews.self, Nothing()), reportsNews,
        let news = reply.news
      else { return }
      output.yield(.newsArrived(news))
    }
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
      } catch ClientError.notAnswering {
        output.yield(.linkChanged(.silent))
      } catch let error as RemoteError where error.why == .notAnswering {
        output.yield(.linkChanged(.silent))
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

  func currentService() throws -> any ServiceCalling {
    try link.withLock { link in
      switch link {
      case .up(let service): return service
      case .down: throw ClientError.connectionLost
      }
    }
  }

  func fail(_ error: any Error) {
    for sentence in Sentences.report(of: error).sentences {
      output.yield(.commandFinished(.failed(sentence: sentence)))
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
