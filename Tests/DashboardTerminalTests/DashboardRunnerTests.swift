import DashboardTerminal
import DashboardUI
import Synchronization
import Testing
import TransferModel

/// A terminal in memory. A test puts inputs into it; when they run out it blocks until it is
/// woken, and when the script is at its end it hangs up.
private final class ScriptedTerminal: TerminalBackend, Sendable {
  final class Waker: TerminalWaker {
    let count = Mutex(0)
    func wake() { count.withLock { $0 += 1 } }
  }

  let signal = Waker()
  private let script: Mutex<[[TerminalInput]]>
  let frames = Mutex<[Frame]>([])
  let calls = Mutex<[String]>([])
  let problem: TerminalProblem?

  init(_ script: [[TerminalInput]], problem: TerminalProblem? = nil) {
    self.script = Mutex(script)
    self.problem = problem
  }

  var waker: any TerminalWaker { signal }
  var size: ScreenSize { ScreenSize(columns: 80, rows: 24) }

  private func note(_ call: String) { calls.withLock { $0.append(call) } }

  func claim() throws(TerminalProblem) -> Look {
    if let problem { throw problem }
    note("claim")
    return Look(charset: .utf8, colors: .none)
  }

  func restore() { note("restore") }
  func copy(_ text: String) {}
  func ring() {}
  func suspend() { note("suspend") }
  func reclaim() { note("reclaim") }
  func forgetScreen() { note("forget") }
  func draw(_ frame: Frame) { frames.withLock { $0.append(frame) } }

  func nextInputs(timeoutMilliseconds: Int32?) -> [TerminalInput] {
    script.withLock { $0.isEmpty ? [.hungUp] : $0.removeFirst() }
  }
}

struct DashboardRunnerTests {
  private func run(
    _ script: [[TerminalInput]], posting messages: [DashboardMessage] = []
  ) throws -> (end: DashboardEnd, effects: [DashboardEffect], terminal: ScriptedTerminal) {
    let terminal = ScriptedTerminal(script)
    let effects = EffectLog()
    let runner = DashboardRunner(backend: terminal) { effects.append($0) }
    for message in messages { runner.post(message) }
    return (try runner.run(), effects.all, terminal)
  }

  private final class EffectLog: Sendable {
    private let effects = Mutex<[DashboardEffect]>([])
    func append(_ effect: DashboardEffect) { effects.withLock { $0.append(effect) } }
    var all: [DashboardEffect] { effects.withLock { $0 } }
  }

  @Test func `leaving gives the terminal back`() throws {
    let result = try run([[.key(.character("q"))]])
    #expect(result.end == .left)
    #expect(result.terminal.calls.withLock { $0 } == ["claim", "restore"])
  }

  @Test func `a signal ends it and a lost terminal too`() throws {
    #expect(try run([[.endAsked(signal: 15)]]).end == .signalled(15))
    #expect(try run([]).end == .hungUp)
  }

  @Test func `a terminal that cannot be claimed is an error and nothing is drawn`() {
    let terminal = ScriptedTerminal([], problem: .noTerminal)
    let runner = DashboardRunner(backend: terminal) { _ in }
    #expect(throws: TerminalProblem.noTerminal) { try runner.run() }
    #expect(terminal.frames.withLock { $0.isEmpty })
  }

  @Test func `messages posted before the start are taken in`() throws {
    let row = TransferSnapshot(
      id: TransferID(rawValue: 1), session: .kettle, taskIdentifier: 1, title: "Posted", url: "",
      state: .running, createdAt: WallTime(millisecondsSince1970: 0))
    let window = ListWindow(first: 0, matchingCount: 1, rows: [row])
    let result = try run(
      [[], [.key(.character("p"))], [.key(.character("q"))]],
      posting: [.linkChanged(.connected), .rowsArrived(window, Totals())])
    #expect(
      result.effects == [
        .subscribe(Viewport(filter: RowFilter(scope: .uncleared), first: 0, count: 27, tag: 0)),
        .control(.pause, .ids([TransferID(rawValue: 1)])),
      ])
    let first = result.terminal.frames.withLock { $0.first }
    #expect(first?.lines[2].contains("Posted") == true)
    #expect(result.terminal.signal.count.withLock { $0 } == 2)
  }

  @Test func `suspending and drawing anew are the terminal's business`() throws {
    let result = try run([
      [.key(.control("z")), .key(.control("l")), .suspendAsked, .continued],
      [.key(.character("q"))],
    ])
    #expect(result.effects.isEmpty)
    #expect(
      result.terminal.calls.withLock { $0 }
        == ["claim", "suspend", "forget", "suspend", "reclaim", "restore"])
  }

  @Test func `many changes in one frame's time are drawn once`() throws {
    let keys = (0..<50).map { _ in [TerminalInput.key(.character("?"))] }
    let start = ContinuousClock.now
    let result = try run(keys + [[.key(.control("c"))]])
    // On a machine that stalls there is time for more frames.
    let frameCountMax = 1.0 + (ContinuousClock.now - start) / Duration.milliseconds(50)
    #expect(Double(result.terminal.frames.withLock { $0.count }) <= frameCountMax)
  }

  @Test func `it runs on a thread of its own for those who cannot wait`() async throws {
    let terminal = ScriptedTerminal([[.key(.character("q"))]])
    let runner = DashboardRunner(backend: terminal) { _ in }
    #expect(try await runner.runOnOwnThread() == .left)
  }
}

struct NcursesTerminalTests {
  @Test func `problems say what to do`() {
    #expect(
      TerminalProblem.unknown(name: "foo").sentence
        == "The terminal \"foo\" is not known here; set TERM to one that is, for example xterm")
    #expect(
      TerminalProblem.noTerminal.sentence
        == "The dashboard needs a terminal for input and output; kettle list works without")
  }
}
