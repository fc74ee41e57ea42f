import Glibc
import KettleModel
import KettleSocket
import KettleSystem

/// An ssh process to another machine, from start to end.
final class RemoteShell: Sendable {
  /// How much of its output is kept: the end holds the reason.
  private static let outputByteCountMax = 4096
  /// How many times to wait 10 ms for the last output: a master connection of ssh (ControlPersist)
  /// keeps the pipe open for long.
  private static let lastOutputWaitCount = 30
  private static let graceMilliseconds: Int32 = 3000

  private enum Phase {
    case running(waiting: [CheckedContinuation<ProcessStatus?, Never>])
    /// nil when the exit status is unknown.
    case ended(ProcessStatus?)
  }

  private struct State {
    var phase = Phase.running(waiting: [])
    var output: [UInt8] = []
    var isRelaying: Bool
    /// Whether ssh and its children have closed the error output.
    var isOutputComplete = false
  }

  private let process: CoupledProcess
  private let state: Mutex<State>

  /// Passes our end of the socket to the caller; nil the second time.
  func takeSocket() -> OwnedDescriptor? { process.takeSocket() }

  /// - Parameter mayAsk: Whether ssh may ask for passwords and show its output on the terminal.
  static func start(
    _ arguments: [String], environment: [String: String], mayAsk: Bool
  ) -> Result<RemoteShell, ProcessSpawn.Failed> {
    CoupledProcess.start("ssh", arguments, environment: environment, keepsTerminal: mayAsk).map {
      let shell = RemoteShell($0, isRelaying: mayAsk)
      shell.watch()
      return shell
    }
  }

  private init(_ process: CoupledProcess, isRelaying: Bool) {
    self.process = process
    state = Mutex(State(isRelaying: isRelaying))
  }

  /// From now on its output is kept and not shown.
  func stopRelaying() { state.withLock { $0.isRelaying = false } }

  /// Gives ssh a moment to end by itself, because its exit status tells the reason.
  func endSoon() {
    SystemThread.detach {
      poll(nil, 0, Self.graceMilliseconds)
      // The process id cannot be reused before the process has been waited for.
      self.state.withLock { state in
        guard case .running = state.phase else { return }
        _ = kill(self.process.processID, SIGTERM)
      }
    }
  }

  /// Waits for the end. Returns nil when the exit status is unknown.
  func waitForEnd() async -> ProcessStatus? {
    await withCheckedContinuation { continuation in
      let known: ProcessStatus?? = state.withLock { state in
        switch state.phase {
        case .ended(let status): return .some(status)
        case .running(let waiting):
          state.phase = .running(waiting: waiting + [continuation])
          return nil
        }
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  /// The last part of its output.
  var output: String { String(decoding: state.withLock { $0.output }, as: UTF8.self) }

  // MARK: On dedicated threads, because the calls block

  private func watch() {
    SystemThread.detach { self.readErrors() }
    SystemThread.detach { self.reap() }
  }

  private func readErrors() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(process.errors.number, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      receive(buffer.prefix(count))
    }
    state.withLock { $0.isOutputComplete = true }
  }

  private func receive(_ bytes: ArraySlice<UInt8>) {
    let isRelaying = state.withLock { state in
      state.output = Array((state.output + bytes).suffix(Self.outputByteCountMax))
      return state.isRelaying
    }
    guard isRelaying else { return }
    // ssh asks its questions directly on the terminal. This is its error output and that of the
    // other machine, which may be anything.
    let lines = String(decoding: bytes, as: UTF8.self)
      // ssh ends lines with "\r\n", which is one character.
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { String($0).sanitizedForDisplay() }
    let text = Array(lines.joined(separator: "\n").utf8)
    _ = text.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private func reap() {
    // Reap only while the phase changes, so that `endSoon` never signals another process.
    var information = siginfo_t()
    while waitid(P_PID, id_t(process.processID), &information, WEXITED | WNOWAIT) == -1,
      errno == EINTR
    {}
    for _ in 0..<Self.lastOutputWaitCount where !state.withLock({ $0.isOutputComplete }) {
      poll(nil, 0, 10)
    }
    typealias Waiting = [CheckedContinuation<ProcessStatus?, Never>]
    let (status, waiting): (ProcessStatus?, Waiting) = state.withLock { state in
      let status = ProcessStatus.ofEnded(process.processID)
      guard case .running(let waiting) = state.phase else { return (status, []) }
      state.phase = .ended(status)
      return (status, waiting)
    }
    for continuation in waiting { continuation.resume(returning: status) }
  }
}
