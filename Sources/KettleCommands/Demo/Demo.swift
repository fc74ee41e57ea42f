import KettleClient
import KettleControl
import KettleModel

/// A demo, from the start of its service to the end.
struct Demo {
  let world: CommandContext
  let home: DemoHome

  private static let client = "kettle demo"

  var place: ServiceAddress {
    ServiceAddress(
      environment: home.environment(from: world.environment), serviceArguments: ["demo-service"])
  }

  func runDashboard(limitMilliseconds: Int64?) async throws -> ExitCode {
    try await fillList()
    do {
      let outcome = try await world.dashboard.open(
        DashboardRequest(
          place: place, client: Self.client, limitMilliseconds: limitMilliseconds), in: world)
      switch outcome {
      // Keep the demo running for the next `kettle demo` to find.
      case .ended(let code): return code
      case .left, .limitReached: return try await cleanUp()
      }
    } catch let problem as DashboardUnavailable {
      world.console.complain(problem.sentence)
      return try await runPlain(limitMilliseconds: limitMilliseconds)
    }
  }

  func runPlain(limitMilliseconds: Int64?) async throws -> ExitCode {
    try await fillList()
    var watch = DemoWatch(world: world)
    let follower = EventFollower(
      world: world, place: place, client: Caller(Self.client), includesProgress: true,
      limitMilliseconds: limitMilliseconds)
    let code: ExitCode
    do {
      code = try await follower.run { try await watch.take($0) }
    } catch let error as ConsoleError {
      _ = try await cleanUp()
      throw error
    }
    let cleanUpCode = try await cleanUp()
    return code == .done ? cleanUpCode : code
  }

  /// Adds the catalogue to the list if the list is empty.
  private func fillList() async throws {
    let service = try await world.services.connect(
      to: place, client: Caller(Self.client), startIfNeeded: true)
    do {
      try await fillList(service)
    } catch {
      await service.close()
      throw error
    }
    await service.close()
  }

  private func fillList(_ service: any ServiceCalling) async throws {
    let catalogue = try DemoCatalogue(readingFrom: home)
    var rows = try await ListReader(service: service).all()
    let outdated = rows.filter { catalogue.isOutdated($0.url) }.map(\.id)
    if !outdated.isEmpty {
      _ = try await service.call(
        ControlTransfers.self, .init(control: .removeWithFile, selection: .ids(outdated)))
      rows.removeAll { outdated.contains($0.id) }
    }
    if rows.isEmpty { _ = try await Adding(service: service).add(catalogue.specs) }
  }

  /// Stops the service, deletes the home, and prints a summary.
  private func cleanUp() async throws -> ExitCode {
    let rows = await finalRows()
    if try await ServiceStopper(world: world, place: place).stop() == .stillRuns {
      throw DemoProblem.serviceStillRuns(path: home.path)
    }
    try home.delete()
    let lines = Sentences.demoWas(rows, home: home.path)
    try world.console.write(lines.map { $0 + "\n" }.joined(), to: .output)
    return .done
  }

  /// The rows for the summary. Empty when the service is already gone.
  private func finalRows() async -> [TransferSnapshot] {
    guard
      let service = try? await world.services.connect(
        to: place, client: Caller(Self.client), startIfNeeded: false)
    else { return [] }
    let rows = try? await ListReader(service: service).all()
    await service.close()
    return rows ?? []
  }
}

/// The demo without a screen: starts every transfer and prints lines until all are finished.
struct DemoWatch {
  private let world: CommandContext
  private var printers: [TransferID: ProgressPrinter] = [:]
  private var unfinished: Set<TransferID>?
  private var hasFailed = false

  init(world: CommandContext) { self.world = world }

  mutating func take(_ happening: EventFollower.Happening) async throws -> ExitCode? {
    switch happening {
    case .connected(let service):
      if unfinished == nil {
        _ = try await service.call(
          ControlTransfers.self, .init(control: .start, selection: .all))
      }
      try await look(service)
    case .eventsDropped(let service): try await look(service)
    case .event(let event):
      if event.kind == .removed {
        unfinished?.remove(event.id)
      } else {
        try took(event.snapshot)
      }
    case .completed, .lookDue: return nil
    case .interrupted: return .interrupted
    case .limitReached: return .done
    }
    guard unfinished?.isEmpty == true else { return nil }
    return hasFailed ? .transferFailed : .done
  }

  private mutating func look(_ service: any ServiceCalling) async throws {
    let rows = try await ListReader(service: service).all()
    unfinished = Set(rows.map(\.id))
    for row in rows { try took(row) }
  }

  private mutating func took(_ row: TransferSnapshot) throws {
    var printer =
      printers[row.id] ?? ProgressPrinter(on: world.console, isRedrawn: false)
    try printer.show(row, at: world.clock.now().monotonic)
    printers[row.id] = printer
    guard row.state.isFinished, unfinished?.remove(row.id) != nil else { return }
    hasFailed = hasFailed || row.state == .failed
  }
}
