import Glibc
import KettleControl
import KettleCurl
import KettleEngine
import KettleFiles
import KettleModel
import KettleSocket
import KettleStore
import KettleSystem
import Logging

/// The service, assembled from its parts, from the lock to the last flush.
package struct TransferService: Sendable {
  package struct Options: Sendable {
    package var places: ServicePaths
    /// For the certificates and proxies that are passed to libcurl.
    package var environment: [String: String]
    /// A byte is written here when the service accepts requests; the starter reads the other end.
    package var readyDescriptor: Int32?
    /// Called once it is certain that no other service runs, before anything is opened.
    package var whenAlone: @Sendable () async throws -> Void

    package init(
      places: ServicePaths, environment: [String: String], readyDescriptor: Int32? = nil,
      whenAlone: @escaping @Sendable () async throws -> Void = {}
    ) {
      self.places = places
      self.environment = environment
      self.readyDescriptor = readyDescriptor
      self.whenAlone = whenAlone
    }
  }

  /// How the service ended.
  package enum End: Sendable, Hashable {
    case stopped
    /// Another service has the lock.
    case alreadyRunning
    /// What failed, on what, and what to do.
    case failed(String)
  }

  private let options: Options

  package init(_ options: Options) { self.options = options }

  /// Runs until it is stopped. Transfers in progress then continue at the next start.
  package func run() async -> End {
    ProcessPreparation.prepare()
    let lock: ServiceLock
    do throws(ControlSocketError) {
      guard let held = try ServiceLock.acquire(at: options.places.lockPath) else {
        return .alreadyRunning
      }
      lock = held
    } catch {
      return .failed(ServiceSentence.of(error))
    }
    let clock = ServiceClock()
    let logger = makeLogger(clock)
    do {
      return try await serve(holding: lock, clock: clock, logger: logger)
    } catch {
      let sentence = ServiceSentence.of(error)
      logger.critical("The service ends", metadata: ["error": "\(sentence)"])
      return .failed(sentence)
    }
  }

  private func makeLogger(_ clock: ServiceClock) -> Logger {
    let file = LogFile(path: options.places.logPath)
    return Logger(label: "kettle") { _ in FileLogHandler(file: file) { clock.now().wall } }
  }

  private func serve(
    holding lock: ServiceLock, clock: ServiceClock, logger: Logger
  ) async throws -> End {
    try NetworkLibraries.load()
    try await options.whenAlone()
    let places = options.places
    let startedAt = clock.now().wall
    let settings = ServiceSettings(options, descriptorLimit: ProcessPreparation.descriptorLimit)
    let marks = CrashCounter(path: places.crashCountPath)
    marks.arm()
    let opened = try StoreOpening.open(places.storePath, at: startedAt)
    let notices = notices(settings, opened.notice, marks, logger)
    let files = POSIXFileStorage(
      documentsDirectory: settings.documentsDirectory, heldDirectory: places.heldDirectory,
      unrecordedPath: places.unrecordedFilesPath)
    let broadcaster = makeBroadcaster(settings, files, opened.journal, clock, logger)
    let need = ConditionNeed()
    let telling = settings.alerts.map { DesktopNotificationBridge.onDesktop($0, broadcaster, logger) }
    let observers = EngineObservers(
      broadcaster: broadcaster, need: need, telling: telling, clock: clock)
    let engine = try Self.makeEngine(
      settings, files: files,
      journal: marks.mustPause
        ? PausingJournal(base: opened.journal, archive: opened.journal) : opened.journal,
      archive: opened.journal, observers, clock, logger)
    let sessions = makeSessions(engine, logger)
    observers.add(sessions)
    try await engine.start()
    await sessions.recover(engine.recoveredSessions)
    let sessionWork = Task(executorPreference: WorkerPool.tasks) { await sessions.run() }

    let stop = StopSwitch()
    // Before the socket exists: a service that accepts requests must shut down cleanly.
    let signals = await TerminationSignals.handle(by: { stop.turn() })
    let dropped = DroppedClientLog(logger: logger) { clock.now().monotonic }
    let listener = try await ControlListener.start(
      at: places.socketPath, holding: lock, limits: settings.listener,
      refused: { dropped.log(refused: $0) })
    let handler = RequestHandler(
      engine: engine, broadcaster: broadcaster, sessions: sessions,
      information: ServiceInformation(
        processID: Int64(getpid()), startedAt: startedAt, storePath: places.storePath,
        notices: notices),
      stop: { stop.turn() })
    sayReady()
    logger.info("The service answers", metadata: ["socket": "\(places.socketPath)"])
    let health = ServiceHealth(
      listener: listener, marks: marks, engine: engine, conditions: settings.conditions,
      need: need, logger: logger)

    await Self.receive(listener, handler, logger, dropped) {
      await stop.turned()
      health.end()
      telling?.end()
      // Before the connections close: a program whose service ends is still connected.
      sessions.end()
      await sessionWork.value
      // The reply to the stop request is sent before the connections close.
      await listener.close()
      await engine.shutDown()
    }
    signals.end()
    // Leaves a single file; the data in the database's log would survive without this too.
    try? opened.journal.close()
    marks.clear()
    logger.info("The service has ended")
    return .stopped
  }

  /// Returns the notices for `daemon status` and the dashboard, and logs them.
  private func notices(
    _ settings: ServiceSettings, _ store: StoreNotice?, _ marks: CrashCounter, _ logger: Logger
  ) -> [String] {
    var notices = settings.notices
    if let store { notices.append(store.sentence) }
    if marks.mustPause { notices.append(CrashCounter.notice(count: marks.count)) }
    for notice in notices { logger.error("\(notice)") }
    return notices
  }

  private func makeBroadcaster(
    _ settings: ServiceSettings, _ files: POSIXFileStorage, _ archive: any TransferArchive,
    _ clock: ServiceClock, _ logger: Logger
  ) -> Broadcaster {
    let freeSpace = FreeSpace(now: { clock.now().monotonic }) {
      files.freeBytes(at: settings.documentsDirectory)
    }
    return Broadcaster(
      freeSpace: freeSpace, archive: archive, rows: settings.engine.rows(clearedUpTo: nil),
      logger: logger)
  }

  private static func makeEngine(
    _ settings: ServiceSettings, files: POSIXFileStorage, journal: any TransferJournal,
    archive: any TransferArchive, _ observers: EngineObservers, _ clock: ServiceClock,
    _ logger: Logger
  ) throws(TransferFailure) -> TransferEngine {
    try TransferEngine(
      configuration: settings.engine,
      ports: TransferEngine.Ports(
        journal: journal, archive: archive, files: files, clock: clock,
        makeTransport: { events throws(TransferFailure) in
          try CurlTransport(events: events, settings: settings.curl)
        }),
      logger: logger,
      observer: { observers.observe($0) })
  }

  private func makeSessions(_ engine: TransferEngine, _ logger: Logger) -> SessionRegistry {
    let launcher = ProgramLauncher(
      environment: options.environment, logPath: options.places.logPath)
    return SessionRegistry(
      clock: ServiceClock(),
      ports: SessionRegistry.Ports(
        keep: { changes throws(EngineError) in try await engine.keep(changes) },
        setPolicy: { session, policy in await engine.setPolicy(of: session, policy) },
        launch: { command, session, tell in launcher.launch(command, for: session, tell) }),
      logger: logger)
  }

  /// Serves clients while `work` runs.
  private static func receive(
    _ listener: ControlListener, _ handler: RequestHandler, _ logger: Logger,
    _ dropped: DroppedClientLog, until work: () async -> Void
  ) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await receive(listener, handler, logger, dropped) }
      await work()
      group.cancelAll()
    }
  }

  private static func receive(
    _ listener: ControlListener, _ handler: RequestHandler, _ logger: Logger,
    _ dropped: DroppedClientLog
  ) async {
    await withDiscardingTaskGroup { group in
      for await connection in listener.connections {
        group.addTask {
          let session = ClientSession(
            connection: connection, broadcaster: handler.broadcaster, logger: logger,
            dropped: dropped, left: { handler.sessions.leave($0) }
          ) { request, id, client, decided in
            await handler.handle(request, id: id, for: client, whenDecided: decided)
          }
          await session.run()
          await handler.engine.setCadence(handler.broadcaster.cadence)
        }
      }
      group.cancelAll()
    }
  }

  private func sayReady() {
    guard let number = options.readyDescriptor else { return }
    // The starter left it open for this byte only; closing it signals the end.
    let starter = OwnedDescriptor(owning: number)
    var byte: UInt8 = 1
    write(starter.number, &byte, 1)
  }
}
