import Glibc
import KettleConfiguration
import KettleControl
import KettleEngine
import KettleModel
import KettleRPC
import KettleSystem
import Logging

/// Opens and closes the port of the RPC, and serves its clients while it is open.
final class RPCServer: Sendable {
  private struct Door: Sendable {
    let settings: RPCSettings
    let secret: RPCSecret
    let listener: RPCListener
    let lists: RPCLists
    let serving: Task<Void, Never>
  }

  private enum State: Sendable {
    case closed
    case open(Door)
  }

  private let core: RPCCore
  private let logger: Logger
  private let state = Mutex(State.closed)
  private let problem = Mutex<String?>(nil)

  init(core: RPCCore, logger: Logger) {
    self.core = core
    self.logger = logger
  }

  /// What `kettle rpc status` shows.
  var status: DescribeRPC.Result {
    let problem = problem.withLock { $0 }
    return state.withLock { state in
      switch state {
      case .closed: DescribeRPC.Result(problem: problem)
      case .open(let door):
        DescribeRPC.Result(
          port: door.listener.port, directories: door.settings.roots,
          allowedOrigins: door.settings.door.allowedOrigins.sorted())
      }
    }
  }

  /// Opens the port with these settings, or closes it; nil means that it is disabled. Clients stay
  /// connected if nothing changed. A port that cannot be opened is reported, and everything else
  /// goes on.
  func apply(_ settings: RPCSettings?) async {
    if let settings, isOpen(with: settings) { return }
    await close()
    problem.withLock { $0 = nil }
    guard let settings else { return }
    do throws(RPCProblem) {
      try await open(settings)
    } catch {
      logger.error("\(error.sentence)")
      problem.withLock { $0 = error.sentence }
    }
  }

  private func isOpen(with settings: RPCSettings) -> Bool {
    let current = state.withLock { state -> (RPCSettings, RPCSecret)? in
      switch state {
      case .closed: nil
      case .open(let door): (door.settings, door.secret)
      }
    }
    guard let (known, secret) = current, known == settings,
      let stored = try? RPCSecretFile.read(settings.secretPath)
    else { return false }
    return stored == secret
  }

  func close() async {
    let old = state.withLock { state in
      defer { state = .closed }
      return state
    }
    guard case .open(let door) = old else { return }
    core.ledger.tell(with: nil)
    await door.listener.close()
    await door.serving.value
    door.lists.end()
    logger.info("The RPC is closed")
  }

  private func open(_ settings: RPCSettings) async throws(RPCProblem) {
    let secret = try RPCSecretFile.read(settings.secretPath)
    let gids: [TransferID: GID]
    do {
      gids = try core.archive.chosenGIDs()
    } catch {
      throw .unreadableStore("\(error)")
    }
    core.ledger.begin(with: gids)
    let listener: RPCListener
    do throws(RPCListener.Problem) {
      listener = try await RPCListener.start(port: settings.port, door: settings.door)
    } catch {
      throw .port(error)
    }
    let lists = RPCLists(core.broadcaster, core.ledger)
    let methods = RPCMethods(
      engine: core.engine, settings: settings, ledger: core.ledger, lists: lists,
      instance: core.instance, shutDown: { [weak self] in self?.closeLater() })
    let responder = RPCResponder(methods: methods, secret: secret)
    let serving = Task(executorPreference: WorkerPool.tasks) {
      await withDiscardingTaskGroup { group in
        for await exchange in listener.exchanges {
          group.addTask { await responder.answer(exchange) }
        }
        group.cancelAll()
      }
    }
    core.ledger.tell { listener.notify($0) }
    let door = Door(
      settings: settings, secret: secret, listener: listener, lists: lists, serving: serving)
    state.withLock { $0 = .open(door) }
    logger.info("The RPC accepts requests", metadata: ["port": "\(listener.port)"])
  }

  /// After the answer to `aria2.shutdown` was sent.
  private func closeLater() {
    Task(executorPreference: WorkerPool.tasks) { [self] in
      try? await WorkerPool.pause(for: .seconds(3))
      await close()
    }
  }
}

/// What the RPC needs of the service.
struct RPCCore: Sendable {
  var engine: TransferEngine
  var archive: any TransferArchive
  var broadcaster: Broadcaster
  var ledger: RPCLedger
  /// Unique to this start of the service.
  var instance: String
}

/// Why the RPC cannot be opened.
enum RPCProblem: Error, Sendable {
  case port(RPCListener.Problem)
  /// The file is missing, readable for others, or has no secret in it.
  case secret(path: String, String)
  case unreadableStore(String)

  var sentence: String {
    switch self {
    case .port(let problem):
      problem.code == EADDRINUSE
        ? """
        Port \(problem.port) for the RPC is in use by another program; \
        choose another one with "kettle rpc enable --port N"
        """
        : """
        Port \(problem.port) for the RPC cannot be opened \
        (\(SystemError(problem.code).message)); choose another one with \
        "kettle rpc enable --port N"
        """
    case .secret(let path, let detail):
      "The secret of the RPC in \(path) cannot be used: \(detail); run \"kettle rpc enable\" again"
    case .unreadableStore(let detail):
      "The RPC is closed because the store cannot be read (\(detail)); restart the service"
    }
  }
}

/// How the interface of aria2's RPC is set up.
struct RPCSettings: Hashable, Sendable {
  var port: Int
  var secretPath: String
  var door: RequestDoor
  /// Absolute paths below which clients may store files.
  var roots: [String]
  /// For downloads that name no directory.
  var directory: String
  var homeDirectory: String

  /// Returns nil if it is disabled.
  init?(_ file: ServiceConfiguration.RPC, _ paths: ServicePaths, documentsDirectory: String) {
    guard file.isEnabled else { return nil }
    port = file.port
    secretPath = paths.rpcSecretPath
    door = RequestDoor(allowedOrigins: Set(file.allowedOrigins))
    directory = documentsDirectory
    homeDirectory = paths.homeDirectory
    roots = [documentsDirectory] + file.directories(home: paths.homeDirectory)
  }
}

/// The file with the secret, which `kettle rpc enable` makes.
enum RPCSecretFile {
  static func read(_ path: String) throws(RPCProblem) -> RPCSecret {
    switch FileContents.readPrivate(path: path, byteCountMax: RPCSecret.byteCountMax + 1) {
    case .bytes(let bytes):
      let text = String(decoding: bytes, as: UTF8.self).trimmingBlanks()
      guard let secret = RPCSecret(text) else {
        throw .secret(path: path, "it has fewer than \(RPCSecret.byteCountMin) characters")
      }
      return secret
    case .missing: throw .secret(path: path, "it is missing")
    case .unreadable(let detail): throw .secret(path: path, detail)
    }
  }
}
