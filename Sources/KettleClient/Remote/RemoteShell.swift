import KettleSocket
import Glibc
import KettleSystem
import KettleModel

/// ssh on the way to another machine, from its start to its end.
final class RemoteShell: Sendable {
  /// What is kept of what it says: the end has the reason.
  private static let saidByteCountMax = 4096
  /// How often, each time 10 ms, the last words are waited for: a master connection of ssh
  /// (ControlPersist) holds the pipe open for long.
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

  /// Gives our end of the conversation to the caller; nil the second time.
  func takeSocket() -> OwnedDescriptor? { process.takeSocket() }

  /// - Parameter mayAsk: Whether it may ask for passwords, and show what it says, on the terminal.
  static func start(
    _ arguments: [String], environment: [String: String], mayAsk: Bool
  ) -> Result<RemoteShell, ProcessSpawn.Failed> {
    CoupledProcess.start("ssh", arguments, environment: environment, mayAsk: mayAsk).map {
      let shell = RemoteShell($0, isRelaying: mayAsk)
      shell.watch()
      return shell
    }
  }

  private init(_ process: CoupledProcess, isRelaying: Bool) {
    self.process = process
    state = Mutex(State(isRelaying: isRelaying))
  }

  /// From now on what it says is kept and not shown.
  func stopRelaying() { state.withLock { $0.isRelaying = false } }

  /// Gives it a moment to end by itself, because its status says why.
  func endSoon() {
    DetachedThread.start {
      poll(nil, 0, Self.patienceMilliseconds)
      // Until it was waited for, its number cannot be another's.
      self.state.withLock { if !$0.hasEnded { _ = kill(self.process.processID, SIGTERM) } }
    }
  }

  /// Waits for its end; nil when nobody knows how that was.
  func ended() async -> ProcessStatus? {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiting.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume(returning: state.withLock { $0.status }) }
    }
  }

  /// What it said, the last part.
  var said: String { String(decoding: state.withLock { $0.said }, as: UTF8.self) }

  // MARK: Threads of their own, because both calls block

  private func watch() {
    DetachedThread.start { self.readErrors() }
    DetachedThread.start { self.waitForEnd() }
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
    // Its questions go to the terminal by themselves; here are its complaints, and those of the
    // other machine, which may be anything.
    let lines = String(decoding: bytes, as: UTF8.self)
      // "\r\n" is one character, and that is how ssh ends its lines.
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { String($0).sanitizedForDisplay() }
    let text = Array(lines.joined(separator: "\n").utf8)
    _ = text.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private func waitForEnd() {
    // Not taken off the system's list before `hasEnded`, so that `endSoon` meets no other process.
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
