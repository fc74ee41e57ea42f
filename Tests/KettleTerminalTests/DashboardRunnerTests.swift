import KettleDashboard
import KettleModel
import KettleSystem
import KettleTerminal
import Testing

/// An in-memory terminal with scripted inputs. An empty step blocks until the terminal is woken,
/// and at the end of the script it hangs up.
private final class ScriptedTerminal: TerminalBackend, Sendable {
  final class Waker: TerminalWaker {
    let count = Mutex(0)
    func wake() { count.withLock { $0 += 1 } }
  }

  let signal = Waker()
  private let script: Mutex<[[TerminalInput]]>
  let frames = Mutex<[Frame]>([])
  let calls = Mutex<[String]>([])
  let gauges = Mutex<[BatchGauge?]>([])
  let problem: TerminalProblem?
  let afterFirstFrame = Mutex<(@Sendable () -> Void)?>(nil)
  /// The timeout of the last wait for input; nil means none.
  let isWaiting = Mutex<Int?>(nil)

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
  func copy(_ text: String) -> CopyProblem? {
    note("copy \(text)")
    return text.isEmpty ? .tooLong : nil
  }
  func ring() { note("ring") }
  func announce(_ text: String) { note("announce \(text)") }
  func show(_ gauge: BatchGauge?) { gauges.withLock { $0.append(gauge) } }
  func suspend() { note("suspend") }
  func reclaim() { note("reclaim") }
  func forgetScreen() { note("forget") }
  func draw(_ frame: Frame) {
    frames.withLock { $0.append(frame) }
    afterFirstFrame.withLock { action in
      defer { action = nil }
      return action
    }?()
  }

  func nextInputs(timeoutMilliseconds: Int32?) -> [TerminalInput] {
    isWaiting.withLock { $0 = timeoutMilliseconds.map(Int.init) }
    return script.withLock { $0.isEmpty ? [.hungUp] : $0.removeFirst() }
  }
}

struct DashboardRunnerTests {
  private func run(
    _ script: [[TerminalInput]], posting messages: [DashboardMessage] = []
  ) throws -> (end: DashboardEnd, effects: [ServiceEffect], terminal: ScriptedTerminal) {
    let terminal = ScriptedTerminal(script)
    let effects = EffectLog()
    let runner = DashboardRunner(backend: terminal) { effects.append($0) }
    for message in messages { runner.post(message) }
    return (try runner.run(), effects.all, terminal)
  }

  private final class EffectLog: Sendable {
    private let effects = Mutex<[ServiceEffect]>([])
    func append(_ effect: ServiceEffect) { effects.withLock { $0.append(effect) } }
    var all: [ServiceEffect] { effects.withLock { $0 } }
  }

  @Test func `leaving restores the terminal`() throws {
    let result = try run([[.key(.character("q"))]])
    #expect(result.end == .left)
    #expect(result.terminal.calls.withLock { $0 } == ["claim", "restore"])
  }

  @Test func `a signal or a lost terminal ends the dashboard`() throws {
    #expect(try run([[.endAsked(signal: 15)]]).end == .signalled(15))
    #expect(try run([]).end == .hungUp)
  }

  @Test func `a terminal that cannot be claimed is an error and nothing is drawn`() {
    let terminal = ScriptedTerminal([], problem: .noTerminal)
    let runner = DashboardRunner(backend: terminal) { _ in }
    #expect(throws: TerminalProblem.noTerminal) { try runner.run() }
    #expect(terminal.frames.withLock { $0.isEmpty })
  }

  @Test func `messages posted before the start are processed`() throws {
    let row = TransferSnapshot(
      id: TransferID(rawValue: 1), session: .kettle, taskIdentifier: 1, title: "Posted", url: "",
      state: .running, createdAt: WallTime(millisecondsSince1970: 0))
    let window = ListWindow(first: 0, matchingCount: 1, rows: [row])
    let result = try run(
      [[], [.key(.character("p"))], [.key(.character("q"))]],
      posting: [.linkChanged(.connected), .rowsArrived(window, Totals())])
    #expect(
      result.effects == [
        .subscribe(
          Viewport(
            filter: RowFilter(scope: .uncleared, membership: .none), sort: RowSort(isGrouped: true),
            first: 0,
            count: 28, tag: 0)),
        .control(.pause, .ids([TransferID(rawValue: 1)])),
      ])
    let first = result.terminal.frames.withLock { $0.first }
    #expect(first?.lines[2].contains("Posted") == true)
    #expect(result.terminal.signal.count.withLock { $0 } == 2)
  }

  @Test func `suspending and redrawing are done by the terminal`() throws {
    let result = try run([
      [.key(.control("z")), .key(.control("l")), .suspendAsked, .continued],
      [.key(.character("q"))],
    ])
    #expect(result.effects.isEmpty)
    #expect(
      result.terminal.calls.withLock { $0 }
        == ["claim", "suspend", "forget", "suspend", "reclaim", "restore"])
  }

  @Test func `changes within one frame are drawn once`() throws {
    let keys = (0..<50).map { _ in [TerminalInput.key(.character("?"))] }
    let start = ContinuousClock.now
    let result = try run(keys + [[.key(.control("c"))]])
    // On a slow machine there is time for more frames.
    let frameCountMax = 1.0 + (ContinuousClock.now - start) / Duration.milliseconds(50)
    #expect(Double(result.terminal.frames.withLock { $0.count }) <= frameCountMax)
  }

  @Test func `the terminal shows changed batch progress and rings for announcements`() throws {
    func totals(_ running: Int, _ completed: Int, received: Int64?) -> Totals {
      var totals = Totals()
      totals.counts = [.running: running, .completed: completed]
      totals.batch = received.map {
        BatchProgress(
          transferCount: 1, finishedCount: 0, bytesReceived: $0, bytesExpected: 100,
          unknownSizeCount: 0, secondsLeft: nil)
      }
      return totals
    }
    let result = try run(
      [[], [.key(.character("q"))]],
      posting: [
        .linkChanged(.connected), .rowsArrived(.empty, totals(1, 0, received: 42)), .ticked,
        .rowsArrived(.empty, totals(0, 1, received: nil)),
      ])
    #expect(
      result.terminal.calls.withLock { $0 }
        == ["claim", "ring", "announce All transfers are done", "restore"])
    #expect(result.terminal.gauges.withLock { $0 } == [])
    let shown = try run(
      [[], [.key(.character("q"))]],
      posting: [.linkChanged(.connected), .rowsArrived(.empty, totals(1, 0, received: 42))])
    #expect(shown.terminal.gauges.withLock { $0 } == [.percent(42)])
  }

  @Test func `unchanged rows are not drawn again`() throws {
    let runner: (Bool) throws -> Int = { isSame in
      let terminal = ScriptedTerminal([[], [], [.key(.character("q"))]])
      let runner = DashboardRunner(backend: terminal) { _ in }
      runner.post(.linkChanged(.connected))
      runner.post(.rowsArrived(.empty, Totals()))
      terminal.afterFirstFrame.withLock {
        $0 = {
          var totals = Totals()
          if !isSame { totals.freeBytes = 1 }
          runner.post(.rowsArrived(.empty, totals))
        }
      }
      _ = try runner.run()
      return terminal.isWaiting.withLock { $0 } ?? -1
    }
    // The time until the next frame if one is needed; none if nothing has changed.
    #expect(try runner(true) == -1)
    #expect(try runner(false) >= 0)
  }

  @Test func `the look can change while the dashboard runs`() throws {
    let light = Look(charset: .ascii, colors: .none, theme: Theme(background: .light))
    let result = try run([[], [.lookChanged(light)], [.key(.character("q"))]])
    #expect(result.end == .left)
  }

  @Test func `the runner can use its own thread`() async throws {
    let terminal = ScriptedTerminal([[.key(.character("q"))]])
    let runner = DashboardRunner(backend: terminal) { _ in }
    #expect(try await runner.runOnOwnThread() == .left)
  }
}

struct NcursesTerminalTests {
  @Test func `terminal problems explain what to do`() {
    #expect(
      TerminalProblem.unknown(name: "foo").sentence
        == "Unknown terminal \"foo\"; set TERM to a known one, for example xterm")
    #expect(
      TerminalProblem.noTerminal.sentence
        == "The dashboard needs a terminal for input and output; kettle list works without")
  }
}
