import KettleClient
import KettleControl
import KettleModel

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
    try await fillList()
    do {
      let outcome = try await context.dashboard.open(
        DashboardRequest(
          address: address, client: Self.client, limitMilliseconds: limitMilliseconds), in: context)
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
    try await fillList()
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
  private func fillList() async throws {
    let service = try await context.services.connect(
      to: address, client: ClientIdentity(Self.client), startIfNeeded: true)
    do {
      try await fillList(service)
    } catch {
      await service.close()
      throw error
    }
    await service.close()
  }

  private func fillList(_ service: any ServiceCalling) async throws {
    let catalogue = try DemoFileList(readingFrom: home)
    var rows = try await ListReader(service: service).all()
    let outdated = rows.filter { catalogue.isOutdated($0.url) }.map(\.id)
    if !outdated.isEmpty {
      _ = try await service.call(
        ControlTransfers.self, .init(control: .removeWithFile, selection: .ids(outdated)))
      rows.removeAll { outdated.contains($0.id) }
    }
    if rows.isEmpty { _ = try await TransferAdder(service: service).add(catalogue.specs) }
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

/// The demo without a screen: starts every transfer and prints lines until all are finished.
struct DemoWatch {
  private let context: CommandContext
  private var printers: [TransferID: ProgressPrinter] = [:]
  private var unfinished: Set<TransferID>?
  private var hasFailed = false

  init(context: CommandContext) { self.context = context }

  mutating func handle(_ update: EventFollower.Update) async throws -> ExitCode? {
    switch update {
    case .connected(let service):
      if unfinished == nil {
        _ = try await service.call(
          ControlTransfers.self, .init(control: .start, selection: .all))
      }
      try await refresh(from: service)
    case .eventsDropped(let service): try await refresh(from: service)
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
    guard row.state.isFinished, unfinished?.remove(row.id) != nil else { return }
    hasFailed = hasFailed || row.state == .failed
  }
}
