import Glibc
import KettleDashboard
import KettleModel
import KettleTerminal

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
