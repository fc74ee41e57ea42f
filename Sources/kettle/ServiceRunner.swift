import FoundationEssentials
import KettleCommands
import KettleControl
import KettleDaemon
import KettleDemo
import KettleSocket
import KettleStarter

/// Makes this process the service, or the service of the demo.
enum ServiceRunner {
  static func run(_ options: ServiceRunOptions) async -> Int32 {
    status(of: await service(options).run())
  }

  /// How long the demo continues without a client.
  private static let demoSeconds: Int64 = 60

  /// Runs the service together with the origin that it fetches from, in one process, so that both
  /// live as long as the demo. Ends a minute after the last client has left.
  static func runDemo(_ options: ServiceRunOptions) async -> DemoServiceEnd {
    let home = ServicePaths.of(environment: options.environment).homeDirectory
    let origin = DemoOrigin()
    let service = service(options, abandonedAfterSeconds: demoSeconds) {
      let port = try await origin.start()
      let catalogue = DemoCatalogueFile(origin.catalogue, port: port)
      let path = home + "/catalogue.json"
      try JSONEncoder().encode(catalogue).write(to: URL(filePath: path), options: .atomic)
    }
    let end = await service.run()
    await origin.stop()
    return end == .abandoned ? .abandoned : .exited(status: status(of: end))
  }

  /// Starts the origin of the demo alone, on a port of the loopback.
  static func startDemoServer(port: Int) async -> Result<DemoServer, DemoServerProblem> {
    let origin = DemoOrigin()
    let paths = origin.catalogue.items.map(\.path) + [DemoCatalogue.checksumsPath]
    do {
      let port = try await origin.start(port: port)
      return .success(DemoServer(port: port, paths: paths) { await origin.stop() })
    } catch DemoOriginError.cannotListen(let number) {
      return .failure(DemoServerProblem(errorNumber: number))
    } catch {
      return .failure(DemoServerProblem(errorNumber: nil))
    }
  }

  private static func service(
    _ options: ServiceRunOptions, abandonedAfterSeconds: Int64? = nil,
    whenAlone: @escaping @Sendable () async throws -> Void = {}
  ) -> TransferService {
    var all = TransferService.Options(
      paths: ServicePaths.of(environment: options.environment),
      environment: options.environment, readyDescriptor: options.readyDescriptor,
      abandonedAfterSeconds: abandonedAfterSeconds, whenAlone: whenAlone)
    // A command that starts the service may itself have a supervisor, which is not the service's.
    if options.readyDescriptor == nil {
      all.supervisor = Supervisor(environment: options.environment)
    }
    return TransferService(all)
  }

  private static func status(of end: TransferService.End) -> Int32 {
    switch end {
    case .stopped, .abandoned: return 0
    case .alreadyRunning:
      printError("A service is already running; kettle daemon status shows it")
      return ServiceProcess.lostRaceStatus
    case .failed(let sentence):
      printError(sentence)
      return 1
    }
  }

  private static func printError(_ sentence: String) {
    TerminalConsole().printError(sentence)
  }
}

/// The list of files that `kettle demo` reads.
private struct DemoCatalogueFile: Encodable {
  struct Item: Encodable {
    var title: String
    var path: String
    var bytes: Int64
    var sha256: String
    /// One for a reply that breaks: with several, the others would go on.
    var connections: Int?
    var isTrouble: Bool
  }

  var origin: String
  var items: [Item]

  init(_ catalogue: DemoCatalogue, port: Int) {
    origin = "http://127.0.0.1:\(port)"
    items = catalogue.items.map {
      Item(
        title: $0.title, path: $0.path, bytes: $0.byteCount, sha256: $0.sha256,
        connections: $0.conduct == .breaks ? 1 : nil, isTrouble: $0.conduct.isTrouble)
    }
  }
}
