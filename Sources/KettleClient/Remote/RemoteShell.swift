import Glibc
import KettleModel
import KettleSocket
import KettleSystem

/// An ssh process to another machine, from start to end.
final class RemoteShell: Sendable {
  /// How much of its output is kept: the end holds the reason.
  private static let saidByteCountMax = 4096
  /// How many times to wait 10 ms for the last output: a master connection of ssh (ControlPersist)
  /// keeps the pipe open for long.
  private static let lastWordsCount = 30
  private static let patienceMilliseconds: Int32 = 3000

  private struct State {
    var said: [UInt8] = []
    var isRelaying: Bool
    var hasSaidAll = false
    var status: ProcessStatus?
    var hasEnded = false
    var waiting: [CheckedContinuation<ProcessStatus?, Never>] = []
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
      poll(nil, 0, Self.patienceMilliseconds)
      // The process id cannot be reused before the process has been waited for.
      self.state.withLock { if !$0.hasEnded { _ = kill(self.process.processID, SIGTERM) } }
    }
  }

  /// Waits for the end. Returns nil when the exit status is unknown.
  func ended() async -> ProcessStatus? {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiting.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume(returning: state.withLock { $0.status }) }
    }
  }

  /// The last part of its output.
  var said: String { String(decoding: state.withLock { $0.said }, as: UTF8.self) }

  // MARK: Threads of their own, because both calls block

  private func watch() {
    SystemThread.detach { self.readErrors() }
    SystemThread.detach { self.waitForEnd() }
  }

  private func readErrors() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(process.errors.number, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      take(buffer.prefix(count))
    }
    state.withLock { $0.hasSaidAll = true }
  }

  private func take(_ bytes: ArraySlice<UInt8>) {
    let isRelaying = state.withLock { state in
      state.said = Array((state.said + bytes).suffix(Self.saidByteCountMax))
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

  private func waitForEnd() {
    // Reap only after `hasEnded` is set, so that `endSoon` never signals another process.
    var information = siginfo_t()
    while waitid(P_PID, id_t(process.processID), &information, WEXITED | WNOWAIT) == -1,
      errno == EINTR
    {}
    for _ in 0..<Self.lastWordsCount where !state.withLock({ $0.hasSaidAll }) { poll(nil, 0, 10) }
    let (status, waiting) = state.withLock { state in
      state.status = ProcessStatus.ofEnded(process.processID)
      state.hasEnded = true
      defer { state.waiting = [] }
      return (state.status, state.waiting)
    }
    for continuation in waiting { continuation.resume(returning: status) }
  }
}
