import KettleDashboard
import KettleModel
import KettleTerminal
import Testing

@testable import KettleCommands

struct TimedTerminalTests {
  /// Records the timeouts that it receives.
  private final class Waiting: TerminalBackend {
    struct Waker: TerminalWaker {
      func wake() {}
    }

    var timeouts: [Int32?] = []
    var waker: any TerminalWaker { Waker() }
    var size: ScreenSize { ScreenSize(columns: 80, rows: 24) }

    func nextInputs(timeoutMilliseconds: Int32?) -> [TerminalInput] {
      timeouts.append(timeoutMilliseconds)
      return [.resized]
    }

    func claim() throws(TerminalProblem) -> Look { Look(charset: .ascii, colors: .none) }
    func restore() {}
    func draw(_ frame: Frame) {}
    func forgetScreen() {}
    func copy(_ text: String) -> CopyProblem? { nil }
    func announce(_ text: String) {}
    func show(_ gauge: BatchGauge?) {}
    func ring() {}
    func suspend() {}
    func reclaim() {}
  }

  @Test func `without a deadline the terminal only forwards`() {
    let inner = Waiting()
    let terminal = TimedTerminal(inner, clock: FakeClock(), deadline: nil)
    #expect(terminal.nextInputs(timeoutMilliseconds: nil) == [.resized])
    #expect(inner.timeouts == [nil])
  }

  @Test func `the terminal waits until the deadline and then requests the end`() async {
    let inner = Waiting()
    let clock = FakeClock()
    let deadline = clock.now().monotonic.advanced(byMilliseconds: 500)
    let terminal = TimedTerminal(inner, clock: clock, deadline: deadline)
    #expect(terminal.nextInputs(timeoutMilliseconds: nil) == [.resized])
    await clock.wait(milliseconds: 300)
    #expect(terminal.nextInputs(timeoutMilliseconds: 1000) == [.resized])
    #expect(terminal.nextInputs(timeoutMilliseconds: 50) == [.resized])
    await clock.wait(milliseconds: 200)
    #expect(
      terminal.nextInputs(timeoutMilliseconds: nil)
        == [.resized, .endAsked(signal: TimedTerminal.signal)])
    #expect(inner.timeouts == [500, 200, 50, 0])
  }
}
