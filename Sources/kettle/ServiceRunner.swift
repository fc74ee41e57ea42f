import FoundationEssentials
import KettleClient
import KettleCommands
import KettleControl
import KettleDaemon
import KettleDemo

/// Makes this process the service, or the service of the demo.
enum ServiceRunner {
  static func run(_ options: ServiceRunOptions) async -> Int32 {
    await run(options) {}
  }

  /// Runs the service together with the origin that it fetches from, in one process, so that both
  /// live as long as the demo, even when the terminal is gone.
  static func runDemo(_ options: ServiceRunOptions) async -> Int32 {
    let home = ServicePaths.of(environment: options.environment).homeDirectory
    let origin = DemoOrigin()
    let status = await run(options) {
      let port = try await origin.start()
      let catalogue = DemoCatalogueFile(origin.catalogue, port: port)
      let path = home + "/catalogue.json"
      try JSONEncoder().encode(catalogue).write(to: URL(filePath: path), options: .atomic)
    }
    await origin.stop()
    return status
  }

  private static func run(
    _ options: ServiceRunOptions, whenAlone: @escaping @Sendable () async throws -> Void
  ) async -> Int32 {
    let service = TransferService(
      TransferService.Options(
        paths: ServicePaths.of(environment: options.environment),
        environment: options.environment, readyDescriptor: options.readyDescriptor,
        whenAlone: whenAlone))
    switch await service.run() {
    case .stopped: return 0
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
  }

  var origin: String
  var items: [Item]

  init(_ catalogue: DemoCatalogue, port: Int) {
    origin = "http://127.0.0.1:\(port)"
    items = catalogue.items.map {
      Item(title: $0.title, path: $0.path, bytes: $0.byteCount, sha256: $0.sha256)
    }
  }
}
