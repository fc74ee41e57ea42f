import Glibc
import KettleControl
import KettleCurl
import KettleEngine
import KettleFiles
import KettleModel
import KettleObjects
import KettleStore
import KettleSystem
import Logging

#if Fleet
import KettleFleet
import KettlePostgres
#endif

/// The parts of the service that do not depend on its socket: the store, the engine, the rows for
/// clients, the sessions of programs, and the hooks.
struct ServiceCore: Sendable {
  let engine: TransferEngine
  /// Whether power and network must be watched.
  let need: ConditionNeed
  private let broadcaster: Broadcaster
  let hooks: HookRegistry
  private let sessions: SessionRegistry
  private let presence: DashboardPresence
  private let ledger = RPCLedger()
  private let notifications: DesktopNotificationBridge?
  private let journal: SQLiteJournal
  private let objects: ObjectStoreClient
  private let memory: MemoryReturn
  /// nil if it is built without fleets.
  private let fleet: (any FleetWork)?
  private let information: ServiceInformation

  /// Opens the store and connects the parts. Nothing is started yet.
  init(
    _ options: TransferService.Options, settings: ServiceSettings, crashes: CrashCounter,
    clock: ServiceClock, logger: Logger
  ) throws {
    let paths = options.paths
    let startedAt = clock.now().wall
    let opened = try StoreOpening.open(paths.storePath, at: startedAt)
    journal = opened.journal
    information = ServiceInformation(
      processID: Int64(getpid()), startedAt: startedAt, storePath: paths.storePath,
      notices: ServiceNotices(
        configuration: settings.notices,
        others: Self.notices(store: opened.notice, crashes: crashes)),
      start: ServiceStart(options.supervisor), proxies: ProxiesInUse(settings.curl.proxies),
      proxyEnvironment: ProxyEnvironment(options.environment),
      places: ServiceStatus.Result.Places(
        logPath: paths.logPath, configPath: paths.configPath,
        downloadsDirectory: settings.documentsDirectory, socketPath: paths.socketPath))
    for notice in information.notices.all { logger.error("\(notice)") }
    presence = DashboardPresence(path: paths.watchedPath) { clock.now().wall }
    let files = POSIXFileStorage(
      documentsDirectory: settings.documentsDirectory, heldDirectory: paths.heldDirectory,
      unrecordedPath: paths.unrecordedFilesPath)
    objects = Self.makeObjectStore(for: options, settings, files: files, clock: clock)
    let freeSpace = FreeSpace(now: { clock.now().monotonic }) {
      files.freeBytes(at: settings.documentsDirectory)
    }
    let broadcaster = Broadcaster(
      freeSpace: freeSpace, archive: journal, rows: settings.engine.rows(clearedUpTo: nil),
      logger: logger)
    self.broadcaster = broadcaster
    need = ConditionNeed(isNeededByUser: !settings.engine.conditionsOfUser.isEmpty)
    notifications = settings.alerts.map {
      DesktopNotificationBridge.onDesktop($0, broadcaster: broadcaster, logger: logger)
    }
    let observers = EngineObservers(
      broadcaster: broadcaster, need: need, notifications: notifications, ledger: ledger,
      clock: clock)
    engine = try TransferEngine(
      configuration: settings.engine,
      ports: TransferEngine.Ports(
        journal: crashes.mustPause
          ? PausingJournal(base: journal, archive: journal) : journal,
        archive: journal, files: files, objects: objects, clock: clock,
        makeTransport: { events throws(TransferFailure) in
          try CurlTransport(events: events, settings: settings.curl)
        }),
      logger: logger,
      observer: { observers.observe($0) })
    sessions = Self.makeSessions(for: engine, options, logger: logger)
    observers.add(sessions)
    hooks = Self.makeHooks(
      for: engine, settings.hooks, options, notices: information.notices,
      broadcaster: broadcaster, logger: logger)
    observers.add(hooks)
    memory = MemoryReturn { [engine, journal] in
      await engine.releaseMemory()
      journal.releaseMemory()
      ProcessResources.releaseUnusedMemory()
    }
    observers.add(memory)
    fleet = Self.makeFleet(
      for: engine, options, objects: objects, files: files, journal: journal, clock: clock,
      rows: settings.engine.rows(clearedUpTo: nil), logger: logger)
    if let fleet { observers.add(fleet) }
  }

  /// Until this machine joins a fleet, nothing of it is loaded.
  private static func makeFleet(
    for engine: TransferEngine, _ options: TransferService.Options, objects: any ObjectStore,
    files: POSIXFileStorage, journal: SQLiteJournal, clock: ServiceClock, rows: RowMaker,
    logger: Logger
  ) -> (any FleetWork)? {
    #if Fleet
    return FleetLink(
      FleetLink.Ports(
        open: { database throws(FleetError) in
          PostgresFleet.open(try ConnectionText.withoutPassword(database))
        },
        initialize: { database throws(FleetError) in
          try PostgresFleet.initialize(ConnectionText.withoutPassword(database))
        },
        engine: engine, objects: objects, files: files,
        transfers: {
          let order = try? journal.order(RowFilter(session: .fleet), RowSort(), rows: rows)
          return await engine.details(of: order?.ids ?? [])
        },
        settingsPath: options.paths.fleetPath,
        stagingDirectory: options.paths.fleetStagingDirectory,
        freeBytes: { files.freeBytes(at: $0) }, clock: clock,
        sharing: FleetSharing.Ports(
          stagingDirectory: options.paths.fleetStagingDirectory,
          digest: { path throws(TransferFailure) in
            try files.digest(ofFileAt: path, algorithm: .sha256)
          })), logger: logger)
    #else
    return nil
    #endif
  }

  /// Its transport is made when the first file is stored.
  private static func makeObjectStore(
    for options: TransferService.Options, _ settings: ServiceSettings, files: POSIXFileStorage,
    clock: ServiceClock
  ) -> ObjectStoreClient {
    ObjectStoreClient(
      ObjectStoreClient.Ports(
        makeTransport: { events throws(TransferFailure) in
          try CurlTransport(events: events, settings: settings.curl)
        },
        digest: { path, range throws(TransferFailure) in
          try files.digest(of: range, inFileAt: path)
        },
        digestOfBytes: { POSIXFileStorage.digest(of: $0) },
        read: { path in
          switch FileContents.read(path: path, byteCountMax: 1 << 20) {
          case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
          case .missing, .unreadable: nil
          }
        },
        settings: { settings.objectStores }, environment: options.environment, clock: clock))
  }

  /// Returns the notices that do not come from the configuration file.
  private static func notices(store: StoreNotice?, crashes: CrashCounter) -> [String] {
    var notices: [String] = []
    if let store { notices.append(store.sentence) }
    if crashes.mustPause { notices.append(CrashCounter.notice(count: crashes.count)) }
    return notices
  }

  private static func makeHooks(
    for engine: TransferEngine, _ settings: HookSettings, _ options: TransferService.Options,
    notices: ServiceNotices, broadcaster: Broadcaster, logger: Logger
  ) -> HookRegistry {
    let launcher = HookLauncher(
      environment: programEnvironment(options), homeDirectory: options.paths.homeDirectory,
      outputDirectory: options.paths.stateDirectory)
    return HookRegistry(
      settings.limits, clock: ServiceClock(),
      ports: HookRegistry.Ports(
        find: { try await engine.hook($0) },
        commit: { changes throws(EngineError) in try await engine.keep(changes) },
        submit: { await engine.submit($0) },
        start: { run, occasion, ended in
          launcher.start(run, occasion, ended: ended).map { program in
            HookRegistry.Program { program.signal($0) }
          }
        },
        report: { notices.note($0) }, ended: { broadcaster.hookEnded($0) }),
      logger: logger)
  }

  /// The service's environment without what concerns only the service.
  private static func programEnvironment(_ options: TransferService.Options) -> [String: String] {
    options.environment.filter { !Supervisor.variables.contains($0.key) }
  }

  private static func makeSessions(
    for engine: TransferEngine, _ options: TransferService.Options, logger: Logger
  ) -> SessionRegistry {
    let launcher = ProgramLauncher(
      environment: programEnvironment(options), logPath: options.paths.logPath)
    return SessionRegistry(
      clock: ServiceClock(),
      ports: SessionRegistry.Ports(
        commit: { changes throws(EngineError) in try await engine.keep(changes) },
        setPolicy: { session, policy in await engine.setPolicy(of: session, policy) },
        launch: { command, session, report in
          launcher.launch(command, for: session, report: report)
        }),
      logger: logger)
  }

  /// Loads the transfers and the sessions, and continues the transfers. Returns the task that
  /// performs the actions of the sessions and the hooks; it finishes after `endPrograms`.
  func start() async throws -> Task<Void, Never> {
    let recovered = try await engine.start()
    await sessions.recover(recovered.sessions)
    hooks.recover(recovered.hooks)
    await fleet?.start()
    return Task(executorPreference: WorkerPool.tasks) { [sessions, hooks] in
      async let sessionWork: Void = sessions.run()
      async let hookWork: Void = hooks.run()
      _ = await (sessionWork, hookWork)
    }
  }

  /// - Parameters:
  ///   - stop: called when a client requests the end of the service.
  ///   - reload: called when a client requests that the configuration be read again.
  func makeHandler(
    stop: @escaping @Sendable () -> Void, reload: ConfigurationReload, rpc: RPCServer
  ) -> RequestHandler {
    RequestHandler(
      engine: engine, broadcaster: broadcaster, sessions: sessions, presence: presence,
      information: information, memory: memory,
      controls: ServiceControls(
        stop: stop, reload: { await reload.run($0) }, describeRPC: { rpc.status }),
      fleet: fleet?.makeDoor(information) ?? NoFleets())
  }

  /// Makes the RPC, which is closed until it is configured.
  func makeRPC(logger: Logger) -> RPCServer {
    RPCServer(
      core: RPCCore(
        engine: engine, archive: journal, broadcaster: broadcaster, ledger: ledger,
        instance: information.instance),
      logger: logger)
  }

  var notices: ServiceNotices { information.notices }
  /// Unique to this start of the service.
  var instance: String { information.instance }

  /// Ends the work for a fleet, notifications, launches and hooks.
  func endPrograms() {
    fleet?.end()
    notifications?.end()
    sessions.end()
    hooks.end()
  }

  /// Leaves a single file; the data in the database's log would survive without this too.
  func closeStore() { try? journal.close() }
}

/// Forwards engine events. The sessions and the hooks need the engine, so they are added later.
final class EngineObservers: Sendable {
  private let broadcaster: Broadcaster
  private let need: ConditionNeed
  private let notifications: DesktopNotificationBridge?
  private let ledger: RPCLedger?
  private let clock: any EngineClock
  private let sessions = Mutex<SessionRegistry?>(nil)
  private let hooks = Mutex<HookRegistry?>(nil)
  private let memory = Mutex<MemoryReturn?>(nil)
  private let fleet = Mutex<(any FleetWork)?>(nil)

  init(
    broadcaster: Broadcaster, need: ConditionNeed,
    notifications: DesktopNotificationBridge? = nil, ledger: RPCLedger? = nil,
    clock: any EngineClock
  ) {
    self.broadcaster = broadcaster
    self.need = need
    self.notifications = notifications
    self.ledger = ledger
    self.clock = clock
  }

  /// Must be called before the engine starts.
  func add(_ registry: SessionRegistry) { sessions.withLock { $0 = registry } }

  /// Must be called before the engine starts.
  func add(_ registry: HookRegistry) { hooks.withLock { $0 = registry } }

  /// Must be called before the engine starts.
  func add(_ memory: MemoryReturn) { self.memory.withLock { $0 = memory } }

  /// Must be called before the engine starts.
  func add(_ fleet: any FleetWork) { self.fleet.withLock { $0 = fleet } }

  func observe(_ event: EngineEvent) {
    fleet.withLock { $0 }?.observe(event)
    memory.withLock { $0 }?.observe(event)
    need.observe(event)
    sessions.withLock { $0 }?.observe(event)
    notify(of: event)
    broadcaster.observe(event, at: clock.now().wall)
    ledger?.observe(event)
    hooks.withLock { $0 }?.observe(event)
  }

  /// Runs before the broadcaster, which still has the previous row.
  private func notify(of event: EngineEvent) {
    switch event {
    case .recovered(let dormant, _, _): notifications?.begin(dormant)
    case .added(let row): notifications?.observe(from: nil, to: row)
    case .listed(let listed): notifications?.observe(listed)
    case .changed(let row): notifications?.observe(from: broadcaster.row(row.id), to: row)
    case .removed(let row): notifications?.observe(from: row, to: nil)
    case .loaded, .evicted, .progress, .cleared, .uncovered, .limited, .queues, .hooksDue:
      break
    }
  }
}
