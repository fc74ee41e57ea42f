import FoundationEssentials
import Glibc
import KettleDashboard
import KettleModel
import KettleSocket
import KettleStarter
import KettleSystem
import KettleTerminal

/// The dashboard on this process's terminal.
package struct TerminalDashboard: DashboardPresenter {
  package init() {}

  package func open(
    _ request: DashboardRequest, in context: CommandContext
  ) async throws -> DashboardOutcome {
    let session = try await DashboardSession.open(request, in: context)
    let end: KettleTerminal.DashboardEnd
    do {
      end = try await show(session, for: request, in: context)
    } catch {
      await session.close()
      throw error
    }
    let continuingCount = session.continuingCount
    await session.close()
    switch end {
    case .left: return .left(continuingCount: continuingCount)
    case .signalled(TimedTerminal.signal): return .limitReached
    case .signalled(let number): return .ended(ExitCode(rawValue: 128 + number))
    case .hungUp: return .ended(ExitCode(rawValue: 128 + SIGHUP))
    }
  }

  private func show(
    _ session: DashboardSession, for request: DashboardRequest, in context: CommandContext
  ) async throws -> KettleTerminal.DashboardEnd {
    let runner = try Self.runner(session, for: request, in: context)
    if request.filesAreHere {
      let home = context.environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      let directories = UserDirectories(home: home, workingDirectory: context.currentDirectory.path)
      runner.post(.directoriesKnown(directories))
    }
    let messages = session.messages
    let forwarding = Task {
      for await message in messages { runner.post(message) }
    }
    defer { forwarding.cancel() }
    do throws(TerminalProblem) {
      return try await runner.runOnOwnThread()
    } catch {
      throw DashboardUnavailable(sentence: error.sentence)
    }
  }

  /// Where the portable archive has descriptions of terminals and a locale.
  private static var fallback: String {
    let program = URL(filePath: ServiceProcess.ownExecutablePath())
    return program.deletingLastPathComponent().appending(path: "../libexec/kettle").path
  }

  private static func runner(
    _ session: DashboardSession, for request: DashboardRequest, in context: CommandContext
  ) throws(DashboardUnavailable) -> DashboardRunner {
    do {
      let deadline = request.limitMilliseconds.map {
        context.clock.now().monotonic.advanced(byMilliseconds: $0)
      }
      var settings = DashboardSettings.ofUser(environment: context.environment)
      settings.terminal.isASCII = request.isASCII
      settings.showsTour = request.showsTour
      settings.choices = request.choicesFile.read()
      settings.shellProgram = request.shellProgram
      let backend = TimedTerminal(
        try NcursesTerminal(settings.terminal, fallback: fallback),
        clock: context.clock, deadline: deadline)
      return DashboardRunner(backend: backend, settings: settings) { session.perform($0) }
    } catch {
      throw DashboardUnavailable(sentence: error.sentence)
    }
  }
}

/// A terminal that requests the end once a deadline has passed, as alarm(2) would.
final class TimedTerminal: TerminalBackend {
  static let signal = SIGALRM

  private let inner: any TerminalBackend
  private let clock: any CommandClock
  /// nil: never.
  private let deadline: MonotonicTime?

  init(_ inner: any TerminalBackend, clock: any CommandClock, deadline: MonotonicTime?) {
    self.inner = inner
    self.clock = clock
    self.deadline = deadline
  }

  func nextInputs(timeoutMilliseconds: Int32?) -> [TerminalInput] {
    guard let deadline else { return inner.nextInputs(timeoutMilliseconds: timeoutMilliseconds) }
    let left = max(0, deadline.milliseconds(since: clock.now().monotonic))
    let timeout = min(timeoutMilliseconds ?? .max, Int32(clamping: left))
    let inputs = inner.nextInputs(timeoutMilliseconds: timeout)
    guard clock.now().monotonic >= deadline else { return inputs }
    return inputs + [.endAsked(signal: Self.signal)]
  }

  func claim() throws(TerminalProblem) -> Look { try inner.claim() }
  func restore() { inner.restore() }
  var size: ScreenSize { inner.size }
  func draw(_ frame: Frame) { inner.draw(frame) }
  func forgetScreen() { inner.forgetScreen() }
  func copy(_ text: String) -> CopyProblem? { inner.copy(text) }
  func announce(_ text: String) { inner.announce(text) }
  func show(_ gauge: BatchGauge?) { inner.show(gauge) }
  func ring() { inner.ring() }
  func suspend() { inner.suspend() }
  func reclaim() { inner.reclaim() }
  var waker: any TerminalWaker { inner.waker }
}

/// Shows the dashboard on the terminal.
package protocol DashboardPresenter: Sendable {
  /// Returns when the user leaves, the time is over, or the terminal is gone. Throws
  /// `DashboardUnavailable` when the terminal cannot show the dashboard.
  func open(_ request: DashboardRequest, in context: CommandContext) async throws
    -> DashboardOutcome
}

/// Which service the dashboard shows, and for how long.
package struct DashboardRequest: Hashable, Sendable {
  package var address: ServiceAddress
  /// The client name that the service receives.
  package var client: String
  package var limitMilliseconds: Int64?
  /// Whether to draw with ASCII only, whatever the locale.
  package var isASCII = false
  /// Whether the dashboard says what to press.
  package var showsTour = false
  /// Whether the service's files are on this machine and can be opened here.
  package var filesAreHere: Bool
  /// The program, with its options, whose commands reach the service; nil if none do.
  package var shellProgram: String?

  package init(address: ServiceAddress, client: String, limitMilliseconds: Int64? = nil) {
    self.address = address
    self.client = client
    self.limitMilliseconds = limitMilliseconds
    filesAreHere = address.host == nil && !address.isFleet
    // A command does not reach the service of a demo, or several machines.
    if address.serviceArguments == ServiceAddress.usualArguments, address.machines.isEmpty {
      let host = address.host.map { " --host " + $0.text } ?? ""
      shellProgram = "kettle" + host + (address.isFleet ? " --fleet" : "")
    }
  }

  /// The user's choices. They are in the home of the demo, or else on this machine, whichever
  /// machine the service is on.
  var choicesFile: ChoicesFile { ChoicesFile(environment: address.environment) }
}

package enum DashboardOutcome: Hashable, Sendable {
  /// `continuingCount` transfers continue by themselves after the user leaves.
  case left(continuingCount: Int)
  case limitReached
  /// The terminal was closed, or a signal asked the program to end; the service keeps running.
  case ended(ExitCode)
}

/// The terminal cannot show a dashboard; the sentence says why. Plain lines replace it.
package struct DashboardUnavailable: Error, Hashable, Sendable {
  package var sentence: String

  package init(sentence: String) { self.sentence = sentence }
}

/// Opens a file or a web page with the user's default program for it: `xdg-open`, found through
/// PATH and run without a shell.
struct FileOpener: Sendable {
  enum Problem: Error, Hashable, Sendable {
    case fileElsewhere, noDesktop, noOpener
    case fileGone(String)
    case notRun(detail: String)
    /// The opener itself failed.
    case refused(String, end: String)
  }

  static let program = "xdg-open"

  let environment: [String: String]
  /// Whether the service's files are on this machine.
  let filesAreHere: Bool

  /// Returns as soon as the opener runs. Calls `refused` if the opener later fails.
  func open(
    _ path: String, refused: @escaping @Sendable (Problem) -> Void
  ) throws(Problem) {
    guard filesAreHere else { throw .fileElsewhere }
    let opener = try openerPath()
    // Anything that does not begin with a slash could be an option.
    guard path.hasPrefix("/"), access(path, F_OK) == 0 else { throw .fileGone(path) }
    try run(opener, on: path, refused: refused)
  }

  /// The same for a web page. The text of a URL begins with its scheme, so it is no option.
  func open(
    _ page: TransferURL, refused: @escaping @Sendable (Problem) -> Void
  ) throws(Problem) {
    guard page.scheme.family == .http else { throw .fileGone(page.text) }
    try run(try openerPath(), on: page.text, refused: refused)
  }

  private func openerPath() throws(Problem) -> String {
    guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { environment[$0]?.isEmpty == false })
    else { throw .noDesktop }
    guard let opener = SearchPath(environment: environment).path(of: Self.program) else {
      throw .noOpener
    }
    return opener
  }

  private func run(
    _ opener: String, on argument: String, refused: @escaping @Sendable (Problem) -> Void
  ) throws(Problem) {
    guard let opened = OwnedDescriptor(opened: Glibc.open("/dev/null", O_WRONLY | O_CLOEXEC)),
      let nowhere = ProcessSpawn.highDescriptor(opened)
    else { throw .notRun(detail: errnoText()) }
    var spawn = ProcessSpawn(
      executablePath: opener, arguments: [Self.program, argument], log: nowhere.number)
    spawn.environment = environment
    switch spawn.run() {
    case .failure(let failed): throw .notRun(detail: errnoText(failed.code))
    case .success(let processID):
      // Without a wait the ended child would remain a zombie.
      SystemThread.detach {
        guard let status = ProcessStatus.ofEnded(processID), status.rawValue != 0 else { return }
        refused(.refused(argument, end: status.text))
      }
    }
  }
}

extension Sentences {
  static func of(_ problem: FileOpener.Problem) -> String {
    switch problem {
    case .fileElsewhere: "The file is on the other machine; copy it from there to open it"
    case .noDesktop:
      "There is no desktop session to open the file in; Y copies its path"
    case .noOpener:
      "xdg-open is not installed; install xdg-utils, or copy the path with Y"
    case .fileGone(let path): "The file \(quoted(path)) no longer exists"
    case .notRun(let detail): "xdg-open cannot be run (\(detail)); check your PATH"
    case .refused(let path, let end):
      "The desktop has no program for \(quoted(path)) (xdg-open: \(end)); Y copies its path"
    }
  }

  /// Why a page was not opened, without what to do.
  static func ofPage(_ problem: FileOpener.Problem) -> String {
    switch problem {
    case .noDesktop: "There is no desktop session to open the page in"
    case .noOpener: "xdg-open is not installed"
    case .notRun(let detail): "xdg-open cannot be run (\(detail))"
    case .refused(_, let end): "The desktop opens no page (xdg-open: \(end))"
    case .fileElsewhere, .fileGone: "It is no web page"
    }
  }
}
