import KettleCommands
import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import KettleSystem

/// Connects to services in memory, one connection after the other.
final class FakeConnector: ServiceConnector {
  struct Attempt: Hashable {
    var address: ServiceAddress
    var client: String
    var isWatchedByPerson = false
    var startIfNeeded: Bool
  }

  private struct State {
    var answers: [Result<FakeService, ClientError>]
    var failure: (any Error)?
    var attempts: [Attempt] = []
    var socketAnswers: [Bool] = []
    var process: (any RunningService)?
  }

  private let state: Mutex<State>

  /// The last answer is repeated.
  init(_ answers: [Result<FakeService, ClientError>]) { state = Mutex(State(answers: answers)) }

  /// Fails every connection.
  init(failing error: any Error) { state = Mutex(State(answers: [], failure: error)) }

  var attempts: [Attempt] { state.withLock { $0.attempts } }

  /// Sets whether the socket exists, one answer per call; false afterwards.
  func socket(_ answers: Bool...) { state.withLock { $0.socketAnswers = answers } }

  func connect(
    to address: ServiceAddress, client: ClientIdentity, startIfNeeded: Bool
  ) async throws -> any ServiceCalling {
    let answer = try state.withLock { state in
      state.attempts.append(
        Attempt(
          address: address, client: client.name, isWatchedByPerson: client.isWatchedByPerson,
          startIfNeeded: startIfNeeded))
      if let failure = state.failure { throw failure }
      return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
    }
    return try answer.get()
  }

  func pipe(to address: ServiceAddress, startIfNeeded: Bool) async throws {
    _ = try await connect(to: address, client: "pipe", startIfNeeded: startIfNeeded)
  }

  func socketPath(of address: ServiceAddress) -> String { "/run/user/1000/kettle/control.sock" }

  func process(of address: ServiceAddress) -> (any RunningService)? {
    state.withLock { $0.process }
  }

  /// Sets the process of the service.
  func run(as process: any RunningService) { state.withLock { $0.process = process } }

  func socketExists(of address: ServiceAddress) -> Bool {
    state.withLock { $0.socketAnswers.isEmpty ? false : $0.socketAnswers.removeFirst() }
  }
}

/// Interruptions that are available from the start.
struct FakeInterruptions: InterruptionSource {
  var all: [Interruption] = []

  func interruptions() -> AsyncStream<Interruption> {
    let (stream, continuation) = AsyncStream<Interruption>.makeStream()
    for interruption in all { continuation.yield(interruption) }
    return stream
  }
}

/// A dashboard that the user leaves immediately.
final class FakeDashboard: DashboardPresenter {
  private let end: DashboardOutcome
  private let problem: DashboardUnavailable?
  private let kept = Mutex<[DashboardRequest]>([])

  init(end: DashboardOutcome = .left(continuingCount: 0), problem: DashboardUnavailable? = nil) {
    self.end = end
    self.problem = problem
  }

  var requests: [DashboardRequest] { kept.withLock { $0 } }

  func open(_ request: DashboardRequest, in context: CommandContext) async throws
    -> DashboardOutcome
  {
    kept.withLock { $0.append(request) }
    if let problem { throw problem }
    return end
  }
}

/// The cookies of a browser, or why they cannot be read.
final class FakeBrowserCookies: Sendable {
  private let answer: Result<BrowserCookies, BrowserCookieProblem>
  private let kept = Mutex<[BrowserCookieRequest]>([])

  init(_ answer: Result<BrowserCookies, BrowserCookieProblem>) { self.answer = answer }

  var requests: [BrowserCookieRequest] { kept.withLock { $0 } }

  func read(_ request: BrowserCookieRequest) throws(BrowserCookieProblem) -> BrowserCookies {
    kept.withLock { $0.append(request) }
    return try answer.get()
  }
}

/// Files that were compared with a manifest, by path; others are missing.
final class FakeComparisons: Sendable {
  private let standings: [String: ManifestStanding]
  private let kept = Mutex<[Manifest.Entry]>([])

  init(_ standings: [String: ManifestStanding] = [:]) { self.standings = standings }

  var entries: [Manifest.Entry] { kept.withLock { $0 } }

  func compare(
    _ path: String, _ entry: Manifest.Entry, _ advance: (Int64) -> Bool
  ) -> ManifestStanding {
    kept.withLock { $0.append(entry) }
    _ = advance(entry.byteCount ?? 1)
    return standings[path] ?? .missing
  }
}

/// An in-memory environment for a command, and the results of running it.
struct FakeContext {
  var service = FakeService()
  var console = FakeConsole()
  var clock = FakeClock()
  var connector: FakeConnector?
  /// In place of `connector`.
  var services: (any ServiceConnector)?
  var interruptions: [Interruption] = []
  var dashboard = FakeDashboard()
  var environment = ["HOME": "/home/anna"]
  var directory = "/"
  /// In place of `directory`.
  var workingDirectory: WorkingDirectory?
  var wordNotText: WordNotText?
  /// nil lets the demo's service exit with a status of its own.
  var demoEnd: DemoServiceEnd?
  /// In place of a server that serves one file.
  var demoServerProblem: DemoServerProblem?
  let demoServerStops = StopCount()
  var browserCookies = FakeBrowserCookies(.failure(.unknownFormat))
  var comparisons = FakeComparisons()

  struct CommandResult: Equatable {
    var code: Int32
    var output: String
    var error: String
  }

  func run(_ arguments: String...) async -> CommandResult { await run(arguments) }

  func run(_ arguments: [String]) async -> CommandResult {
    let code = await runKettle(arguments: arguments, context: context)
    return CommandResult(code: code, output: console.output, error: console.error)
  }

  var context: CommandContext {
    var context = CommandContext(
      environment: environment, currentDirectory: workingDirectory ?? .at(directory),
      console: console, clock: clock,
      services: services ?? connector ?? FakeConnector([.success(service)]),
      interruptions: FakeInterruptions(all: interruptions), dashboard: dashboard,
      runService: { options in 40 + (options.readyDescriptor ?? 2) },
      runDemoService: { [demoEnd] options in
        demoEnd ?? .exited(status: 60 + (options.readyDescriptor ?? 2))
      },
      startDemoServer: { [demoServerProblem, demoServerStops] port in
        if let demoServerProblem { return .failure(demoServerProblem) }
        return .success(
          DemoServer(port: port, paths: ["/one.pdf"]) { demoServerStops.increment() })
      },
      readBrowserCookies: browserCookies.read,
      compareWithManifest: comparisons.compare)
    context.wordNotText = wordNotText
    return context
  }
}

/// How often something was stopped.
final class StopCount: Sendable {
  private let count = Mutex(0)

  var value: Int { count.withLock { $0 } }

  func increment() { count.withLock { $0 += 1 } }
}
