import FoundationEssentials
import KettleClient

/// Everything outside that a command uses, so that tests can replace it.
package struct CommandWorld: Sendable {
  package var environment: [String: String]
  /// Absolute; relative paths on the command line are resolved against it.
  package var currentDirectory: String
  package var console: any Console
  package var clock: any CommandClock
  package var services: any ServiceDoor
  package var interruptions: any InterruptionSource
  /// Runs the service itself: `KettleCommands` must not know how it is built.
  package var runService: @Sendable (ServiceRunOptions) async -> Int32
  /// The service of `kettle demo`, with its own origin.
  package var runDemoService: @Sendable (ServiceRunOptions) async -> Int32
  package var dashboard: any DashboardOpening
  /// The machine of the service; nil for this one.
  package var host: RemoteHost?

  package init(
    environment: [String: String], currentDirectory: String, console: any Console,
    clock: any CommandClock, services: any ServiceDoor, interruptions: any InterruptionSource,
    dashboard: any DashboardOpening,
    runService: @escaping @Sendable (ServiceRunOptions) async -> Int32,
    runDemoService: @escaping @Sendable (ServiceRunOptions) async -> Int32
  ) {
    self.environment = environment
    self.currentDirectory = currentDirectory
    self.console = console
    self.clock = clock
    self.services = services
    self.interruptions = interruptions
    self.dashboard = dashboard
    self.runService = runService
    self.runDemoService = runDemoService
  }

  /// The service that the environment selects.
  package var place: ServicePlace { ServicePlace(environment: environment, host: host) }
}

/// What `kettle daemon run` passes to the service.
package struct ServiceRunOptions: Hashable, Sendable {
  /// The pipe on which the service reports that it is ready, or why it is not. The program that
  /// started it reads the other end.
  package var readyDescriptor: Int32?
  package var environment: [String: String]

  package init(readyDescriptor: Int32?, environment: [String: String]) {
    self.readyDescriptor = readyDescriptor
    self.environment = environment
  }
}

extension CommandWorld {
  /// Reconnects to the service if it still runs.
  func reconnection(for client: Caller) -> @Sendable () async throws -> any ServiceCalling {
    { [services, place] in
      try await services.connect(to: place, client: client, startIfNeeded: false)
    }
  }

  /// Connects to the service, runs `body`, and closes the connection.
  func withService<Answer>(
    for client: Caller, startIfNeeded: Bool = true,
    _ body: (any ServiceCalling) async throws -> Answer
  ) async throws -> Answer {
    let service = try await services.connect(
      to: place, client: client, startIfNeeded: startIfNeeded)
    do {
      let answer = try await body(service)
      await service.close()
      return answer
    } catch {
      await service.close()
      throw error
    }
  }
}

extension CommandWorld {
  /// The world of this process.
  package static func ofThisProcess(
    runService: @escaping @Sendable (ServiceRunOptions) async -> Int32,
    runDemoService: @escaping @Sendable (ServiceRunOptions) async -> Int32
  ) -> CommandWorld {
    CommandWorld(
      environment: ProcessInfo.processInfo.environment,
      currentDirectory: FileManager.default.currentDirectoryPath,
      console: TerminalConsole(), clock: SystemClock(), services: SocketServiceDoor(),
      interruptions: ProcessSignals(), dashboard: TerminalDashboard(),
      runService: runService, runDemoService: runDemoService)
  }
}
