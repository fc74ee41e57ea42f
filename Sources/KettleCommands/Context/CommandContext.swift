import Dispatch
import FoundationEssentials
import Glibc
import KettleDashboard
import KettleModel
import KettleSocket
import KettleStarter
import KettleSystem

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
  /// Starts the server of `kettle demo --serve` on a port of the loopback.
  package var startDemoServer: DemoServerStarting
  /// Reads the database of a browser: `KettleCommands` must not know the library that can.
  package var readBrowserCookies: BrowserCookieReading
  /// Compares a file with a manifest: `KettleCommands` must not know the library that can.
  package var compareWithManifest: ManifestComparing
  package var dashboard: any DashboardPresenter
  /// The machine of the service; nil for this one.
  package var host: RemoteHost?
  /// The machines whose lists are shown as one, of which `host` is one; empty for one machine.
  package var machines: [MachineName] = []
  /// Whether the list of the command is the queue of the fleet.
  package var isFleet = false
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
    startDemoServer: @escaping DemoServerStarting,
    readBrowserCookies: @escaping BrowserCookieReading,
    compareWithManifest: @escaping ManifestComparing
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
    self.startDemoServer = startDemoServer
    self.readBrowserCookies = readBrowserCookies
    self.compareWithManifest = compareWithManifest
  }

  /// The same, with the list of the service itself in place of the queue of its fleet.
  var withoutFleet: CommandContext {
    var context = self
    context.isFleet = false
    return context
  }

  /// The service that the environment selects.
  package var address: ServiceAddress {
    var address = ServiceAddress(environment: environment, host: host)
    address.isFleet = isFleet
    address.machines = machines
    return address
  }
}

/// Returns what is under a path. The closure is called now and then with how many bytes were read
/// since, and returns whether to go on.
package typealias ManifestComparing =
  @Sendable (String, Manifest.Entry, (Int64) -> Bool) -> ManifestStanding

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
    var service = try await services.connect(
      to: address, client: client, startIfNeeded: startIfNeeded)
    if startIfNeeded {
      service = try await ServiceUpdate(context: self).apply(to: service, for: client)
    }
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
    startDemoServer: @escaping DemoServerStarting,
    readBrowserCookies: @escaping BrowserCookieReading,
    compareWithManifest: @escaping ManifestComparing
  ) -> CommandContext {
    var context = CommandContext(
      environment: ProcessInfo.processInfo.environment,
      currentDirectory: .current,
      console: TerminalConsole(), clock: SystemCommandClock(), services: SocketServiceConnector(),
      interruptions: ProcessSignals(), dashboard: TerminalDashboard(),
      runService: runService, runDemoService: runDemoService, startDemoServer: startDemoServer,
      readBrowserCookies: readBrowserCookies, compareWithManifest: compareWithManifest)
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

/// Time for commands: both clocks, waiting, and the local calendar.
package protocol CommandClock: Sendable {
  func now() -> Moment
  /// Returns after the given time, or at once when the task is cancelled.
  func wait(milliseconds: Int64) async
  /// Returns nil when the calendar has no such date.
  func wallTime(ofLocal time: CivilTime) -> WallTime?
  func localTime(of time: WallTime) -> CivilTime?
}

extension CommandClock {
  /// Times in the local zone as it is at `now`.
  func text(at now: WallTime) -> ClockText {
    let local = localTime(of: now)?.inUTC ?? now
    let seconds = local.millisecondsSince1970 / 1000 - now.millisecondsSince1970 / 1000
    return ClockText(utcOffsetSeconds: Int(seconds))
  }
}

extension TimeText {
  /// Parses a TIME of the command line with this clock and its time zone.
  package static func parse(_ text: String, clock: any CommandClock) -> WallTime? {
    parse(text, now: clock.now().wall, local: clock.wallTime(ofLocal:))
  }
}

/// The clocks and the time zone of this machine.
package struct SystemCommandClock: CommandClock {
  package init() {}

  package func now() -> Moment { .now() }

  package func wait(milliseconds: Int64) async {
    // The only error is cancellation, after which the caller should continue at once.
    try? await ContinuousClock().sleep(for: .milliseconds(max(0, milliseconds)))
  }

  package func wallTime(ofLocal time: CivilTime) -> WallTime? {
    // mktime(3) turns 31 June into 1 July, so check the calendar first.
    guard time.inUTC != nil else { return nil }
    var parts = tm()
    parts.tm_year = Int32(time.year - 1900)
    parts.tm_mon = Int32(time.month - 1)
    parts.tm_mday = Int32(time.day)
    parts.tm_hour = Int32(time.hour)
    parts.tm_min = Int32(time.minute)
    parts.tm_sec = Int32(time.second)
    parts.tm_isdst = -1
    // -1 is also one second before 1970, for which nothing is scheduled.
    let seconds = mktime(&parts)
    return seconds == -1 ? nil : WallTime(millisecondsSince1970: Int64(seconds) * 1000)
  }

  package func localTime(of time: WallTime) -> CivilTime? {
    var seconds = time_t(time.millisecondsSince1970 / 1000)
    var parts = tm()
    // localtime_r(3) alone keeps the zone of its first call.
    tzset()
    guard localtime_r(&seconds, &parts) != nil else { return nil }
    return CivilTime(
      year: Int64(parts.tm_year) + 1900, month: Int64(parts.tm_mon) + 1, day: Int64(parts.tm_mday),
      hour: Int64(parts.tm_hour), minute: Int64(parts.tm_min), second: Int64(parts.tm_sec))
  }
}

/// A request by the user or the system to end the command.
package enum Interruption: Hashable, Sendable {
  /// SIGINT: Ctrl-C.
  case interrupt
  /// SIGTERM.
  case terminate
}

package protocol InterruptionSource: Sendable {
  /// From this call on, the signals do not end the process but arrive on the stream, until the
  /// stream is dropped.
  func interruptions() -> AsyncStream<Interruption>
}

/// SIGINT and SIGTERM of this process.
package struct ProcessSignals: InterruptionSource {
  package init() {}

  package func interruptions() -> AsyncStream<Interruption> {
    AsyncStream { continuation in
      let watched = [(SIGINT, Interruption.interrupt), (SIGTERM, .terminate)].compactMap {
        number, interruption in
        Self.watch(number) { continuation.yield(interruption) }
      }
      continuation.onTermination = { _ in for source in watched { source.cancel() } }
    }
  }

  /// Returns nil when the signal is ignored: a shell without job control starts background commands
  /// that way, so that Ctrl-C ends only the foreground command.
  private static func watch(
    _ number: Int32, onSignal handler: @escaping @Sendable () -> Void
  ) -> WatchedSignal? {
    // libdispatch installs its own handler. Ignoring the signal until then would lose one that
    // arrives in between.
    var before = sigaction()
    guard sigaction(number, nil, &before) == 0,
      unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self)
        != unsafeBitCast(SIG_IGN, to: Int.self)
    else { return nil }
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: handler)
    source.resume()
    return WatchedSignal(number, source)
  }

  /// A dispatch source may be cancelled from any thread (dispatch_source_cancel), which its type
  /// does not express.
  private struct WatchedSignal: @unchecked Sendable {
    private let number: Int32
    private let source: any DispatchSourceSignal

    init(_ number: Int32, _ source: any DispatchSourceSignal) {
      self.number = number
      self.source = source
    }

    func cancel() {
      source.cancel()
      signal(number, SIG_DFL)
    }
  }
}
