import FoundationEssentials
import Glibc
import KettleClient
import KettleModel
import KettleStarter

/// Everything outside that a command uses, so that tests can replace it.
package struct CommandContext: Sendable {
  package var environment: [String: String]
  package var currentDirectory: WorkingDirectory
  /// What makes any path of the command line or the environment doubtful; nil for nothing.
  package var wordNotText: WordNotText?
  package var console: any Console
  package var clock: any CommandClock
  package var services: any ServiceConnector
  package var interruptions: any InterruptionSource
  /// Runs the service itself: `KettleCommands` must not know how it is built.
  package var runService: @Sendable (ServiceRunOptions) async -> Int32
  /// The service of `kettle demo`, with its own origin.
  package var runDemoService: @Sendable (ServiceRunOptions) async -> DemoServiceEnd
  /// Reads the database of a browser: `KettleCommands` must not know the library that can.
  package var readBrowserCookies: BrowserCookieReading
  package var dashboard: any DashboardPresenter
  /// The machine of the service; nil for this one.
  package var host: RemoteHost?
  /// Whether to draw with ASCII characters only, whatever the locale.
  package var isASCII = false
  /// The permissions that new files of this process do not get (umask(2)).
  package var fileMask: UInt32 = 0o022

  package init(
    environment: [String: String], currentDirectory: WorkingDirectory, console: any Console,
    clock: any CommandClock, services: any ServiceConnector, interruptions: any InterruptionSource,
    dashboard: any DashboardPresenter,
    runService: @escaping @Sendable (ServiceRunOptions) async -> Int32,
    runDemoService: @escaping @Sendable (ServiceRunOptions) async -> DemoServiceEnd,
    readBrowserCookies: @escaping BrowserCookieReading
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
    self.readBrowserCookies = readBrowserCookies
  }

  /// The service that the environment selects.
  package var address: ServiceAddress { ServiceAddress(environment: environment, host: host) }
}

package typealias BrowserCookieReading =
  @Sendable (BrowserCookieRequest) throws(BrowserCookieProblem) -> BrowserCookies

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

/// How the service of a demo ended.
package enum DemoServiceEnd: Hashable, Sendable {
  case exited(status: Int32)
  /// No client was connected for a minute. No program is left that would delete the home.
  case abandoned
}

extension CommandContext {
  /// Reconnects to the service if it still runs.
  func reconnection(for client: ClientIdentity) -> @Sendable () async throws -> any ServiceCalling {
    { [services, address] in
      try await services.connect(to: address, client: client, startIfNeeded: false)
    }
  }

  /// Connects to the service, runs `body`, and closes the connection.
  func withService<Value>(
    for client: ClientIdentity, startIfNeeded: Bool = true,
    _ body: (any ServiceCalling) async throws -> Value
  ) async throws -> Value {
    let service = try await services.connect(
      to: address, client: client, startIfNeeded: startIfNeeded)
    do {
      let value = try await body(service)
      await service.close()
      return value
    } catch {
      await service.close()
      throw error
    }
  }
}

extension CommandContext {
  /// The context for this process.
  package static func ofThisProcess(
    runService: @escaping @Sendable (ServiceRunOptions) async -> Int32,
    runDemoService: @escaping @Sendable (ServiceRunOptions) async -> DemoServiceEnd,
    readBrowserCookies: @escaping BrowserCookieReading
  ) -> CommandContext {
    var context = CommandContext(
      environment: ProcessInfo.processInfo.environment,
      currentDirectory: .current,
      console: TerminalConsole(), clock: SystemCommandClock(), services: SocketServiceConnector(),
      interruptions: ProcessSignals(), dashboard: TerminalDashboard(),
      runService: runService, runDemoService: runDemoService,
      readBrowserCookies: readBrowserCookies)
    context.fileMask = currentFileMask
    context.wordNotText = .ofThisProcess
    return context
  }

  /// umask(2) can only be read by setting it.
  private static var currentFileMask: UInt32 {
    let mask = umask(0o077)
    umask(mask)
    return mask
  }
}
