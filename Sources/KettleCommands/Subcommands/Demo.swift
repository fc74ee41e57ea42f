import ArgumentParser
import FoundationEssentials
import Glibc
import KettleControl
import KettleModel
import KettleSocket

/// A demo, from the start of its service to the end.
struct Demo {
  let context: CommandContext
  let home: DemoHome

  private static let client = "kettle demo"

  var address: ServiceAddress {
    ServiceAddress(
      environment: home.environment(from: context.environment), serviceArguments: ["demo-service"])
  }

  func runDashboard(limitMilliseconds: Int64?) async throws -> ExitCode {
    try await fillList(.everything)
    do {
      var request = DashboardRequest(
        address: address, client: Self.client, limitMilliseconds: limitMilliseconds)
      request.showsTour = true
      let outcome = try await context.dashboard.open(request, in: context)
      switch outcome {
      // Keep the demo running for the next `kettle demo` to find.
      case .ended(let code): return code
      case .left, .limitReached: return try await cleanUp()
      }
    } catch let problem as DashboardUnavailable {
      context.console.printError(problem.sentence)
      return try await runPlain(limitMilliseconds: limitMilliseconds)
    }
  }

  func runPlain(limitMilliseconds: Int64?) async throws -> ExitCode {
    try await fillList(.withoutTrouble)
    var watch = DemoWatch(context: context)
    let follower = EventFollower(
      context: context, address: address, client: ClientIdentity(Self.client),
      includesProgress: true,
      limitMilliseconds: limitMilliseconds)
    let code: ExitCode
    do {
      code = try await follower.run { try await watch.handle($0) }
    } catch let error as ConsoleError {
      _ = try await cleanUp()
      throw error
    }
    let cleanUpCode = try await cleanUp()
    return code == .done ? cleanUpCode : code
  }

  /// Adds the catalogue to the list if the list is empty.
  private func fillList(_ choice: DemoFileList.Choice) async throws {
    let service = try await context.services.connect(
      to: address, client: ClientIdentity(Self.client), startIfNeeded: true)
    do {
      try await fillList(service, choice)
    } catch {
      await service.close()
      throw error
    }
    await service.close()
  }

  private func fillList(
    _ service: any ServiceCalling, _ choice: DemoFileList.Choice
  ) async throws {
    let catalogue = try DemoFileList(readingFrom: home)
    var rows = try await ListReader(service: service).all()
    let outdated = rows.filter { catalogue.isOutdated($0.url) }.map(\.id)
    if !outdated.isEmpty {
      _ = try await service.call(
        ControlTransfers.self, .init(control: .removeWithFile, selection: .ids(outdated)))
      rows.removeAll { outdated.contains($0.id) }
    }
    if rows.isEmpty {
      _ = try await TransferAdder(service: service).add(catalogue.specs(choice))
    }
  }

  /// Stops the service, deletes the home, and prints a summary.
  private func cleanUp() async throws -> ExitCode {
    let rows = await finalRows()
    if try await ServiceStopper(context: context, address: address).stop() == .stillRuns {
      throw DemoProblem.serviceStillRuns(path: home.path)
    }
    try home.delete()
    let lines = Sentences.demoSummary(rows, home: home.path)
    try context.console.write(lines.map { $0 + "\n" }.joined(), to: .output)
    return .done
  }

  /// The rows for the summary. Empty when the service is already gone.
  private func finalRows() async -> [TransferSnapshot] {
    guard
      let service = try? await context.services.connect(
        to: address, client: ClientIdentity(Self.client), startIfNeeded: false)
    else { return [] }
    let rows = try? await ListReader(service: service).all()
    await service.close()
    return rows ?? []
  }
}

/// The demo without a screen: prints lines until all transfers are finished, or wait for the user.
struct DemoWatch {
  private let context: CommandContext
  private var printers: [TransferID: ProgressPrinter] = [:]
  private var unfinished: Set<TransferID>?
  private var hasFailed = false

  init(context: CommandContext) { self.context = context }

  mutating func handle(_ update: EventFollower.Update) async throws -> ExitCode? {
    switch update {
    case .connected(let service), .eventsDropped(let service): try await refresh(from: service)
    case .event(let event):
      if event.kind == .removed {
        unfinished?.remove(event.id)
      } else {
        try record(event.snapshot)
      }
    case .completed, .pollDue: return nil
    case .interrupted: return .interrupted
    case .limitReached: return .done
    }
    guard unfinished?.isEmpty == true else { return nil }
    return hasFailed ? .transferFailed : .done
  }

  private mutating func refresh(from service: any ServiceCalling) async throws {
    let rows = try await ListReader(service: service).all()
    unfinished = Set(rows.map(\.id))
    for row in rows { try record(row) }
  }

  private mutating func record(_ row: TransferSnapshot) throws {
    var printer =
      printers[row.id] ?? ProgressPrinter(on: context.console, to: .output, clock: context.clock)
    try printer.show(row, at: context.clock.now())
    printers[row.id] = printer
    let isAtRest = row.state.isFinished || row.reason?.needsUser == true
    guard isAtRest, unfinished?.remove(row.id) != nil else { return }
    hasFailed = hasFailed || row.state == .failed
  }
}

/// `kettle demo`
struct DemoCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Try the dashboard with files served by Kettle.",
    discussion: """
      It begins by itself, takes about two minutes, and says what to press. One download loses its \
      connection and continues, one fails, one needs a login, and one is a web page instead.

      Everything happens in a temporary home directory with a service of its own; none of your \
      files is touched, and no network is needed. Leaving with q deletes it all. If the terminal \
      is closed, the demo continues for a minute, in which the next "kettle demo" finds it \
      again; then it deletes itself. Without a terminal it downloads the files that need no \
      answer, and prints lines.

      With --serve only its server runs, until Ctrl-C, for commands of another terminal to \
      practise with. It serves this machine only, each connection slowly, and SHA256SUMS too.

      Examples:
        kettle demo
        kettle demo --seconds 30
        kettle demo --serve 8017
      """)

  static let isForThisMachineOnly = true

  @Option(help: ArgumentHelp("Leave automatically after this many seconds.", valueName: "n"))
  var seconds: Double?

  @Option(
    help: ArgumentHelp(
      "Only serve the files, on this port of this machine.", valueName: "port"))
  var serve: Int?

  func validate() throws {
    guard let serve else { return }
    if !(1...65_535).contains(serve) {
      throw ValidationError("--serve takes a port from 1 to 65535")
    }
    if seconds != nil { throw ValidationError("--serve ends with Ctrl-C; omit --seconds") }
  }

  func run(in context: CommandContext) async throws -> ExitCode {
    if let serve { return try await DemoServing(context: context, port: serve).run() }
    let limit = try seconds.map { try Seconds.milliseconds($0) }
    let home = try DemoHome.open(environment: context.environment)
    let demo = Demo(context: context, home: home)
    let canDraw = context.console.isInputTerminal && context.console.isTerminal(.output)
    return try await canDraw
      ? demo.runDashboard(limitMilliseconds: limit) : demo.runPlain(limitMilliseconds: limit)
  }
}

/// `kettle demo-service`: started by `kettle demo`.
struct DemoServiceCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo-service", abstract: "Run the service of the demo.", shouldDisplay: false)
  static let isForThisMachineOnly = true

  @OptionGroup var ready: ReadyOptions

  func run(in context: CommandContext) async throws -> ExitCode {
    let options = try ready.serviceOptions(in: context)
    switch await context.runDemoService(options) {
    case .exited(let status): return ExitCode(rawValue: status)
    case .abandoned:
      let home = try DemoHome.open(environment: context.environment)
      // Started by hand, it runs in another home, which is not its own to delete.
      if context.environment["HOME"] == home.path { try home.delete() }
      return .done
    }
  }
}

/// What the demo's origin serves, as its service writes it into the home.
struct DemoFileList: Hashable, Sendable, Decodable {
  struct Item: Hashable, Sendable, Decodable {
    var title: String
    /// Begins with a slash.
    var path: String
    var bytes: Int64
    /// The digest that verifies the finished file.
    var sha256: String?
    /// nil means the usual maximum.
    var connections: Int?
    /// Whether it comes only if the user does something about it, or not at all.
    var isTrouble: Bool?
  }

  enum Choice: Hashable, Sendable {
    case everything
    /// Only what comes by itself.
    case withoutTrouble
  }

  /// For example `http://127.0.0.1:40123`.
  var origin: String
  var items: [Item]

  init(readingFrom home: DemoHome) throws(DemoProblem) {
    guard
      let bytes = try? ArgumentPath.contents(of: home.cataloguePath, byteCountMax: 1 << 20),
      let catalogue = try? JSONDecoder().decode(DemoFileList.self, from: Data(bytes)),
      !catalogue.items.isEmpty,
      catalogue.specs(.everything).count == catalogue.items.count
    else { throw .catalogueUnusable(path: home.cataloguePath) }
    self = catalogue
  }

  func specs(_ choice: Choice) -> [TransferSpec] {
    items.compactMap { item in
      if choice == .withoutTrouble, item.isTrouble == true { return nil }
      guard case .success(let parsed) = TransferURL.parse(origin + item.path) else { return nil }
      var spec = TransferSpec(url: parsed.url)
      spec.title = item.title
      spec.checksum = item.sha256.flatMap { Checksum(algorithm: .sha256, hex: $0) }
      spec.connections = item.connections
      return spec
    }
  }

  /// Whether the URL belongs to a previous origin of the demo: after the service is killed, the
  /// next one uses another port.
  func isOutdated(_ url: String) -> Bool {
    url.hasPrefix("http://127.0.0.1:") && !url.hasPrefix(origin + "/")
  }
}
