import KettleControl
import KettleEngine
import KettleModel
import KettleScheduler
import Logging
import TestSupport

@testable import KettleDaemon

/// The part of the service that handles requests, over fakes.
final class HandlerWorld: Sendable {
  let engine: TransferEngine
  let registry: SessionRegistry
  let handler: RequestHandler
  let journal: InMemoryJournal
  let broadcaster: Broadcaster
  let clock: ManualClock
  private let work: Task<Void, Never>

  /// - Parameter journal: the journal of the previous service, to test a restart.
  init(_ journal: InMemoryJournal = InMemoryJournal()) async throws {
    self.journal = journal
    let clock = ManualClock()
    self.clock = clock
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let broadcaster = Broadcaster(
      freeSpace: FreeSpace(now: { MonotonicTime(milliseconds: 0) }) { nil }, archive: journal,
      rows: RowMaker(documentsDirectory: "/home/u/Downloads"), logger: logger)
    self.broadcaster = broadcaster
    let observers = EngineObservers(broadcaster: broadcaster, need: ConditionNeed(), clock: clock)
    let engine = try TransferEngine(
      configuration: TransferEngine.Configuration(documentsDirectory: "/home/u/Downloads"),
      ports: TransferEngine.Ports(
        journal: journal, archive: journal,
        files: InMemoryFileStorage(documentsDirectory: "/home/u/Downloads"), clock: clock,
        makeTransport: { ScriptedTransport(events: $0) }),
      logger: logger, observer: { observers.observe($0) })
    let registry = SessionRegistry(
      clock: ManualClock(),
      ports: SessionRegistry.Ports(
        commit: { changes throws(EngineError) in try await engine.keep(changes) },
        setPolicy: { await engine.setPolicy(of: $0, $1) }, launch: { _, _, _ in }),
      logger: logger)
    observers.add(registry)
    try await engine.start()
    self.engine = engine
    self.registry = registry
    work = Task { await registry.run() }
    handler = RequestHandler(
      engine: engine, broadcaster: broadcaster, sessions: registry,
      presence: DashboardPresence(path: "/no/such/directory/watched") { clock.now().wall },
      information: ServiceInformation(
        processID: 1, startedAt: WallTime(millisecondsSince1970: 0), storePath: "/s",
        notices: ServiceNotices(configuration: [], others: [])),
      controls: ServiceControls(
        stop: {}, reload: { _ in .init(notices: [], pending: []) }, describeRPC: { .init() }))
  }

  func connect(processID: Int64 = 77) -> ConnectedClient {
    let (id, mailbox) = broadcaster.connect()
    return ConnectedClient(id: id, processID: processID, mailbox: mailbox)
  }

  /// Returns the result of a request, and leaves its reply in the mailbox. Throws the error of the
  /// reply.
  func send<Method: ControlMethod>(
    _ method: Method.Type, _ request: ControlRequest, as client: ConnectedClient
  ) async throws -> Method.Result {
    let line = await handler.handle(request, id: .number(1), for: client)
    client.mailbox.send(reply: line)
    switch ReplyCoder().decode(line) {
    case .result(_, let result): return try result.decode(Method.Result.self)
    case .error(_, let error): throw error
    default: throw ControlError(.internalError, String(decoding: line, as: UTF8.self))
    }
  }
}
