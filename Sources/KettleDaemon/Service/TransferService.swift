import Dispatch
import Glibc
import KettleControl
import KettleCurl
import KettleEngine
import KettleModel
import KettleScheduler
import KettleSocket
import KettleStarter
import KettleSystem
import Logging

/// The service, from the lock to the last flush. `ServiceCore` is the part that knows transfers,
/// `ClientServer` the part that knows clients.
package struct TransferService: Sendable {
  package struct Options: Sendable {
    package var paths: ServicePaths
    /// For the certificates and proxies that are passed to libcurl.
    package var environment: [String: String]
    /// A byte is written here when the service accepts requests; the starter reads the other end.
    package var readyDescriptor: Int32?
    /// Called once it is certain that no other service runs, before anything is opened.
    package var whenAlone: @Sendable () async throws -> Void
    /// How long it runs without clients; nil for ever.
    package var abandonedAfterSeconds: Int64?
    /// Who started the service, if that is a supervisor.
    package var supervisor: Supervisor?

    package init(
      paths: ServicePaths, environment: [String: String], readyDescriptor: Int32? = nil,
      abandonedAfterSeconds: Int64? = nil,
      whenAlone: @escaping @Sendable () async throws -> Void = {}
    ) {
      self.paths = paths
      self.environment = environment
      self.readyDescriptor = readyDescriptor
      self.abandonedAfterSeconds = abandonedAfterSeconds
      self.whenAlone = whenAlone
    }
  }

  /// How the service ended.
  package enum End: Sendable, Hashable {
    case stopped
    /// No client was connected for as long as the options permit.
    case abandoned
    /// Another service has the lock.
    case alreadyRunning
    /// What failed, on what, and what to do.
    case failed(String)
  }

  private let options: Options

  package init(_ options: Options) { self.options = options }

  /// Runs until it is stopped. Transfers in progress then continue at the next start.
  package func run() async -> End {
    ProcessResources.prepare()
    let orphans = OrphanReaper()
    defer { orphans?.end() }
    let lock: ServiceLock
    do throws(ClientError) {
      try options.paths.checkOwner()
    } catch {
      return .failed(error.sentence)
    }
    do throws(ControlSocketError) {
      guard let held = try ServiceLock.acquire(at: options.paths.lockPath) else {
        return .alreadyRunning
      }
      try held.eraseRecord()
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
      logger.critical("The service failed", metadata: ["error": "\(sentence)"])
      return .failed(sentence)
    }
  }

  private func makeLogger(_ clock: ServiceClock) -> Logger {
    if options.supervisor?.hasJournal == true {
      return Logger(label: "kettle") { _ in JournalLogHandler() }
    }
    let file = LogFile(path: options.paths.logPath)
    return Logger(label: "kettle") { _ in FileLogHandler(file: file) { clock.now().wall } }
  }

  /// Runs the service while this process holds the lock. Throws if it cannot start.
  private func serve(
    holding lock: ServiceLock, clock: ServiceClock, logger: Logger
  ) async throws -> End {
    try NetworkLibraries.load()
    try await options.whenAlone()
    let settings = ServiceSettings(options, descriptorLimit: DescriptorLimit.current)
    let crashes = CrashCounter(path: options.paths.crashCountPath)
    crashes.arm()
    let core = try ServiceCore(
      options, settings: settings, crashes: crashes, clock: clock, logger: logger)
    let programWork = try await core.start()

    let rpc = core.makeRPC(logger: logger)
    let reload = makeReload(settings, of: core, rpc)
    await reload.begin()
    let stop = StopSwitch()
    // Before the socket exists: a service that accepts requests must shut down cleanly.
    let supervisor = SupervisorChannel(options.supervisor)
    let signals = await ServiceSignals.handle(by: { stop.turnOn() }) {
      supervisor.report(.reloading)
      Task(executorPreference: WorkerPool.tasks) {
        for notice in await reload.run(.init()).notices { logger.error("\(notice)") }
        supervisor.report(.ready)
      }
    }
    let dropped = DroppedClientLog(logger: logger) { clock.now().monotonic }
    let listener = try await ControlListener.start(
      at: options.paths.socketPath, fallback: options.paths.fallbackSocketPath, holding: lock,
      instance: core.instance, lent: options.supervisor?.socketDescriptor,
      limits: settings.listener,
      refused: { dropped.log(refused: $0) })
    let handler = core.makeHandler(stop: { stop.turnOn() }, reload: reload, rpc: rpc)
    let server = ClientServer(
      listener: listener, handler: handler, dropped: dropped, logger: logger,
      abandonment: makeAbandonmentWatch(stop))
    let watchdog = Watchdog(options.supervisor, supervisor) { _ = await core.engine.limits }
    signalReadiness()
    supervisor.report(.ready)
    logger.info(
      "The service accepts requests", metadata: ["socket": "\(listener.socketPath)"])
    let health = ServiceHealth(
      listener: listener, startLockPath: options.paths.startLockPath, crashes: crashes,
      engine: core.engine, conditions: settings.conditions,
      need: core.need, environment: options.environment, logger: logger)

    var reason = StopSwitch.Reason.requested
    await server.run {
      reason = await stop.waitUntilOn()
      supervisor.report(.stopping)
      health.end()
      await rpc.close()
      // Before the connections close: a program whose service ends is still connected.
      core.endPrograms()
      await programWork.value
      // The reply to the stop request is sent before the connections close.
      await listener.close()
      await core.engine.shutDown()
    }
    signals.end()
    watchdog?.end()
    core.closeStore()
    crashes.clear()
    // The path may be the socket of another home's service by the time that someone reads it.
    try? lock.eraseRecord()
    logger.info("The service stopped")
    return switch reason {
    case .requested: .stopped
    case .abandoned: .abandoned
    }
  }

  private func makeReload(
    _ settings: ServiceSettings, of core: ServiceCore, _ rpc: RPCServer
  ) -> ConfigurationReload {
    ConfigurationReload(
      settings, engine: core.engine, need: core.need, rpc: rpc, hooks: core.hooks,
      notices: core.notices,
      read: { [options] reader in
        ServiceSettings(options, descriptorLimit: DescriptorLimit.current, for: reader)
      })
  }

  private func makeAbandonmentWatch(_ stop: StopSwitch) -> AbandonmentWatch? {
    options.abandonedAfterSeconds.map { seconds in
      AbandonmentWatch(afterPause: { check in
        DispatchQueue(label: "kettle.abandonment")
          .asyncAfter(deadline: .now() + .seconds(Int(seconds)), execute: check)
      }) {
        stop.turnOn(.abandoned)
      }
    }
  }

  private func signalReadiness() {
    guard let number = options.readyDescriptor else { return }
    // The starter left it open for this byte only; closing it signals the end.
    let starter = OwnedDescriptor(owning: number)
    var byte: UInt8 = 1
    write(starter.number, &byte, 1)
  }
}

/// Serves the clients that connect, each in a task of its own.
struct ClientServer: Sendable {
  let listener: ControlListener
  let handler: RequestHandler
  let dropped: DroppedClientLog
  let logger: Logger
  /// nil for a service that runs without clients.
  let abandonment: AbandonmentWatch?

  /// Serves clients while `work` runs.
  func run(until work: () async -> Void) async {
    abandonment?.begin()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await serveAll() }
      await work()
      group.cancelAll()
    }
  }

  private func serveAll() async {
    await withDiscardingTaskGroup { group in
      for await connection in listener.connections {
        group.addTask {
          abandonment?.arrived()
          await serve(connection)
          abandonment?.left()
        }
      }
      group.cancelAll()
    }
  }

  private func serve(_ connection: ControlConnection) async {
    let session = ClientSession(
      connection: connection, broadcaster: handler.broadcaster, logger: logger,
      dropped: dropped,
      whenLeft: { id in
        handler.sessions.disconnect(id)
        handler.presence.leave(id)
        handler.fleet.leave(id)
      },
      explain: { await handler.explained($0, .shown) }
    ) { request, id, client, decided in
      await handler.handle(request, id: id, for: client, whenDecided: decided)
    }
    await session.run()
    await handler.engine.setCadence(handler.broadcaster.cadence)
  }
}
