import Dispatch
import KettleCurl
import KettleDesktop
import KettleEngine
import KettleFiles
import KettleModel
import KettleScheduler
import KettleSocket
import KettleStarter
import KettleStore
import KettleSystem
import Logging

/// The watches and timers that run beside the transfers for the lifetime of the service.
struct ServiceHealth: Sendable {
  private let socketFile: SocketFileMonitor
  private let network: NetworkWatch?
  private let zone: TimeZoneWatch?
  private let networkReader: Task<Void, Never>
  private let machine: MachineWatch
  private let conditionReaders: [Task<Void, Never>]
  private let verifier: Task<Void, Never>
  private let synchronizer: Task<Void, Never>
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let healthy: any DispatchSourceTimer

  init(
    listener: ControlListener, startLockPath: String, crashes: CrashCounter, engine: TransferEngine,
    conditions: MachineWatch.Settings, need: ConditionNeed, environment: [String: String],
    logger: Logger
  ) {
    zone = TimeZoneWatch(environment: environment) {
      logger.info("The time zone has changed")
      Task(executorPreference: WorkerPool.tasks) { await engine.zoneChanged() }
    }
    socketFile = SocketFileMonitor(
      of: listener.socketPath, startLockPath: startLockPath, logger: logger
    ) {
      try await listener.restoreSocketFile()
    }
    let (states, continuation) = AsyncStream<NetworkState>.makeStream()
    do throws(NetworkWatchError) {
      network = try NetworkWatch { continuation.yield($0) }
    } catch {
      // Without it, a network loss is a failed attempt and is retried like any other.
      network = nil
      logger.warning(
        "Changes of the network cannot be watched",
        metadata: ["call": "\(error.call)", "errno": "\(error.code)"])
    }
    networkReader = Task(executorPreference: WorkerPool.tasks) {
      for await state in states {
        switch state {
        case .present: logger.info("The network is available, or has changed")
        case .absent: logger.info("The network is not available")
        }
        await engine.networkChanged(state)
      }
    }
    let (sets, setContinuation) = AsyncStream<Set<TransferCondition>>.makeStream()
    let machine = MachineWatch(conditions, on: WorkerPool.tasks) { setContinuation.yield($0) }
    self.machine = machine
    conditionReaders = [
      Task(executorPreference: WorkerPool.tasks) {
        await machine.start()
        for await met in sets {
          let names = met.map(\.rawValue).sorted().joined(separator: " ")
          logger.info("The conditions for tasks changed", metadata: ["met": "\(names)"])
          await engine.conditionsChanged(met)
        }
      },
      Task(executorPreference: WorkerPool.tasks) {
        for await isNeeded in need.changes { await machine.setNeeded(isNeeded) }
      },
    ]
    verifier = Task(executorPreference: WorkerPool.tasks) {
      while await engine.verifyDue() {
        guard (try? await WorkerPool.pause(for: .seconds(Self.verificationSeconds))) != nil else {
          return
        }
      }
    }
    synchronizer = Task(executorPreference: WorkerPool.tasks) {
      while (try? await WorkerPool.pause(for: .seconds(Self.syncSeconds))) != nil {
        await engine.syncDue()
      }
    }
    let queue = DispatchQueue(label: "kettle.health")
    healthy = DispatchSource.makeTimerSource(queue: queue)
    healthy.setEventHandler { crashes.clear() }
    healthy.schedule(deadline: .now() + .seconds(CrashCounter.healthySeconds))
    healthy.activate()
  }

  /// How often finished files that are due are looked for.
  private static let verificationSeconds = 600
  /// How often collections that are to be synced are looked for.
  private static let syncSeconds = 600

  func end() {
    verifier.cancel()
    synchronizer.cancel()
    socketFile.end()
    zone?.end()
    network?.stop()
    networkReader.cancel()
    machine.stop()
    for reader in conditionReaders { reader.cancel() }
    healthy.cancel()
  }
}

/// The problems of the service itself, for `kettle daemon status` and the dashboard.
final class ServiceNotices: Sendable {
  private struct State: Sendable {
    var configuration: [String]
    /// About hooks whose latest run could not be started.
    var hooks: [HookEvent: String] = [:]
    let others: [String]
  }

  private let state: Mutex<State>

  init(configuration: [String], others: [String]) {
    state = Mutex(State(configuration: configuration, others: others))
  }

  var all: [String] {
    state.withLock { state in
      state.configuration + HookEvent.allCases.compactMap { state.hooks[$0] } + state.others
    }
  }

  /// Called when the configuration file was read again. Whether its hooks can be started is not
  /// known yet.
  func replaceConfiguration(_ notices: [String]) {
    state.withLock { state in
      state.configuration = notices
      state.hooks = [:]
    }
  }

  /// Called with each run of a hook whose program was started, or could not be.
  func note(_ run: HookRun) {
    switch run.source {
    case .settings:
      let sentence = ServiceSentence.notice(of: run)
      state.withLock { $0.hooks[run.event] = sentence }
    // Shown with its transfer.
    case .transfer: break
    }
  }
}

/// Why the service cannot start or does not work as configured, as a sentence for the user and for
/// the log.
enum ServiceSentence {
  static func of(_ error: any Error) -> String {
    switch error {
    case let failure as TransferFailure: failure.sentence
    case let error as ControlSocketError: of(error)
    case let error as StoreError: error.sentence
    case let problem as NetworkLibraries.Problem:
      "A library that the service needs cannot be loaded (\(problem.detail)); install libcurl and "
        + "OpenSSL 3, on Debian with \"apt install libcurl4 libssl3\""
    default: "The service cannot start (\(error)); see its log"
    }
  }

  /// The first notice when a setting of the configuration file is wrong.
  static let settingsStay =
    "The settings in use stay in effect, because a setting in the configuration file is wrong; "
    + "correct it and run \"kettle config reload\""

  /// The notice when the file of the start can be read by now.
  static let startAgain =
    "Nothing is sent until the service starts again, because the configuration file could not be "
    + "read when it started; run \"kettle daemon stop\", and the next command starts it"

  /// The notice about a hook of the configuration file; nil unless it could not be started.
  static func notice(of run: HookRun) -> String? {
    guard case .ended(let end) = run.standing, case .notStarted = end.outcome else { return nil }
    return "\(run.sentence); correct \"hooks.\(run.event.rawValue)\" in the configuration file "
      + "and run \"kettle config reload\""
  }

  static func of(_ error: ControlSocketError) -> String {
    switch error {
    case .unsafeDirectory(let path, let detail):
      "The directory \"\(path)\" is not private (\(detail)); "
        + "make it yours, and accessible to you alone with \"chmod 700\""
    case .socketPathTooLong(let path):
      "The socket path \"\(path)\" is too long; set XDG_RUNTIME_DIR to a shorter path"
    case .pathTaken(let path):
      "\"\(path)\" exists and is not a socket; move it away"
    case .pathServed(let path):
      "Another service listens at \"\(path)\"; set XDG_RUNTIME_DIR to another directory"
    case .cannotCreateDirectory(let path, let code):
      "The directory \"\(path)\" cannot be created (\(SystemError(code).message)); "
        + "set HOME to a directory of your own"
    case .notListening(let path), .busy(let path):
      "No service is listening at \"\(path)\"; start it with \"kettle daemon start\""
    case .foreignPeer(let path, let userID):
      "The socket \"\(path)\" belongs to user \(userID); "
        + "set XDG_RUNTIME_DIR to a directory of your own"
    case .lineTooLong(let byteCountMax):
      "A message exceeded the limit of \(byteCountMax) bytes; send smaller messages"
    case .lineNotFinished: "A message was not completed in time; send it without pauses"
    case .closed: "The connection was closed; try again"
    case .system(let call, let path, let code):
      "\"\(path)\" cannot be used (\(call): \(SystemError(code).message)); "
        + "check the disk and the permissions"
    }
  }
}
