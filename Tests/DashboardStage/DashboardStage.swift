import Glibc
import KettleDashboard
import KettleModel
import KettleTerminal

/// The dashboard over rows that were made up, for tests that need a terminal of their own.
///
///     dashboard-stage SCENE
///
/// It exits with 0 when it was left, and with 128 and the number after a signal.
@main
struct DashboardStage {
  static func main() {
    let scene = CommandLine.arguments.dropFirst().first ?? ""
    do {
      switch scene {
      case "rows": try show(StageRows.ordinary)
      case "hostile": try show(StageRows.hostile)
      case "ascii": try show(StageRows.ordinary) { $0.isASCII = true }
      case "no-mouse": try show(StageRows.ordinary) { $0.isMouseOn = false }
      case "fallback": try claim(with: CommandLine.arguments.last ?? "")
      case "outside": try tellOutside()
      case "crash": try crash()
      default: exit(2)
      }
    } catch {
      let sentence = Array((error.sentence + "\n").utf8)
      _ = write(STDERR_FILENO, sentence, sentence.count)
      exit(3)
    }
  }

  private static func show(
    _ rows: [TransferSnapshot], _ change: (inout TerminalOptions) -> Void = { _ in }
  ) throws(TerminalProblem) {
    var options = TerminalOptions()
    change(&options)
    let runner = DashboardRunner(backend: try NcursesTerminal(options)) { _ in }
    var totals = Totals()
    for row in rows { totals.counts[row.state, default: 0] += 1 }
    runner.post(.linkChanged(.connected))
    runner.post(
      .rowsArrived(ListWindow(first: 0, matchingCount: rows.count, rows: rows), totals))
    for row in rows.prefix(1) {
      runner.post(.commandFinished(.failed(sentence: "Said of " + row.title)))
    }
    switch try runner.run() {
    case .left: exit(0)
    case .signalled(let number): exit(128 + number)
    case .hungUp: exit(128 + SIGHUP)
    }
  }

  /// A system that does not know its terminal. Exits with 1 if the environment then differs.
  private static func claim(with fallback: String) throws(TerminalProblem) {
    let terminal = try NcursesTerminal(fallback: fallback)
    _ = try terminal.claim()
    terminal.restore()
    exit(getenv("TERMINFO") == nil ? 0 : 1)
  }

  /// What goes past the screen: the clipboard, the progress, an announcement and the bell.
  private static func tellOutside() throws(TerminalProblem) {
    let terminal = try NcursesTerminal()
    _ = try terminal.claim()
    let refusals = [
      terminal.copy("https://example.org/a\nhttps://example.org/b"),
      terminal.copy("a\u{1B}b"), terminal.copy(String(repeating: "x", count: 80_000)),
    ]
    terminal.show(.percent(42))
    terminal.announce("All transfers are done")
    terminal.ring()
    terminal.restore()
    exit(refusals == [nil, .hasControls, .tooLong] ? 0 : 1)
  }

  private static func crash() throws(TerminalProblem) {
    let terminal = try NcursesTerminal()
    _ = try terminal.claim()
    raise(SIGABRT)
  }
}
