import Glibc
import KettleControl
import KettleModel
import KettleStarter
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

/// Why the service of another machine cannot be used.
package struct RemoteError: Error, Hashable, Sendable {
  package enum Why: Hashable, Sendable {
    /// ssh is missing here or cannot be run; `code` is an errno value.
    case cannotRunSSH(code: Int32)
    /// ssh cannot reach the machine, or is refused.
    case unreachable
    /// The other machine has no `kettle` where ssh looks for programs.
    case noProgram
    /// The `kettle` there does not know the request; the versions, where known.
    case otherVersion(ours: Int, theirs: String?)
    /// No service runs there, and starting one was not requested.
    case notRunning
    /// The service there does not answer, or has stopped to.
    case notAnswering
    /// The `kettle` there cannot reach its service.
    case noService
    /// It ended, or sent nothing for too long.
    case ended
  }

  package var host: RemoteHost
  package var why: Why
  /// The output of ssh or of the other machine; untrusted.
  package var said: String

  package init(host: RemoteHost, why: Why, said: String = "") {
    self.host = host
    self.why = why
    self.said = said
  }
}

/// The name of another machine as ssh(1) accepts it: `box`, `user@box`, `ssh://user@box:2222`.
///
/// Any value is safe on a command line: it is not an option and contains nothing special to a
/// shell, to which the user's ssh configuration may pass it (`%h`).
package struct RemoteHost: Hashable, Sendable {
  package let text: String

  private static let byteCountMax = 255

  /// Returns nil when the text is not such a name.
  package init?(_ text: String) {
    guard !text.isEmpty, text.utf8.count <= Self.byteCountMax,
      text.utf8.allSatisfy(Self.isAllowed)
    else { return nil }
    let name = text.hasPrefix("ssh://") ? text.dropFirst(6) : text[...]
    // Also check the user part, which some programs receive as a separate word.
    let parts = name.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("-") }) else { return nil }
    self.text = text
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "._-@:[]%+/".utf8.contains(byte)
    }
  }
}

/// Connects to the user's service on another machine through the user's own ssh, and starts it
/// there when none is running. `kettle daemon pipe` at the other end forwards the lines.
package struct RemoteStarter: Sendable {
  package var host: RemoteHost
  package var clientName: String
  package var isWatchedByPerson = false
  /// The environment of ssh.
  package var environment: [String: String]
  /// Whether ssh may ask on the terminal, for a password or about an unknown host.
  package var mayAsk = true

  /// A person needs time to find a password.
  private static let askingBudget = Duration.seconds(600)
  private static let budget = Duration.seconds(30)

  package init(host: RemoteHost, clientName: String, environment: [String: String]) {
    self.host = host
    self.clientName = clientName
    self.environment = environment
  }

  package func connect(startingIfNeeded: Bool) async throws -> ServiceConnection {
    let shell: RemoteShell
    switch RemoteShell.start(
      arguments(startingIfNeeded: startingIfNeeded), environment: environment, mayAsk: mayAsk)
    {
    case .success(let started): shell = started
    case .failure(let failed):
      throw RemoteError(host: host, why: .cannotRunSSH(code: failed.code))
    }
    do {
      guard let socket = shell.takeSocket() else { throw ControlSocketError.closed }
      let connection = try await ControlConnection.adopt(socket)
      let service = try await ServiceConnection.connect(
        over: connection, address: host.text, clientName: clientName,
        isWatchedByPerson: isWatchedByPerson, helloBudget: mayAsk ? Self.askingBudget : Self.budget,
        reasonOfEnd: { await silence(shell) })
      shell.stopRelaying()
      return service
    } catch ClientError.versionMismatch(let ours, let theirs) {
      throw RemoteError(host: host, why: .otherVersion(ours: ours, theirs: theirs))
    } catch {
      throw await reason(shell)
    }
  }

  /// Why the other machine ended a conversation, if that is because its service fell silent.
  private func silence(_ shell: RemoteShell) async -> RemoteError? {
    let error = await reason(shell)
    return error.why == .notAnswering ? error : nil
  }

  /// ssh ends with the status of the remote program, or with 255 (ssh(1), EXIT STATUS). A shell
  /// returns 127 for a program that it does not find and 126 for one that it may not run (POSIX,
  /// 2.8.2).
  private func reason(_ shell: RemoteShell) async -> RemoteError {
    shell.endSoon()
    let status = await shell.waitForEnd()
    let code = status.map { $0.rawValue & 0x7F == 0 ? $0.rawValue >> 8 & 0xFF : -1 }
    let why: RemoteError.Why
    switch code {
    case 255: why = .unreachable
    case 126, 127: why = .noProgram
    case 2: why = .otherVersion(ours: ProtocolVersion.current, theirs: nil)
    case Self.notRunningStatus: why = .notRunning
    case Self.notAnsweringStatus: why = .notAnswering
    case 3: why = .noService
    default: why = .ended
    }
    return RemoteError(host: host, why: why, said: shell.output)
  }

  /// The exit status of `kettle daemon pipe --if-running` when no service runs (EX_UNAVAILABLE of
  /// sysexits.h).
  package static let notRunningStatus: Int32 = 69

  /// The exit status of `kettle daemon pipe` when the service does not answer, or no longer does
  /// (EX_TEMPFAIL).
  package static let notAnsweringStatus: Int32 = 75

  func arguments(startingIfNeeded: Bool) -> [String] {
    let options = [
      // Detects a dead connection after 45 s.
      "ConnectTimeout=20", "ServerAliveInterval=15", "ServerAliveCountMax=3",
      // Ignore what the user configured for other uses of the host.
      "ClearAllForwardings=yes", "RemoteCommand=none", "BatchMode=\(mayAsk ? "no" : "yes")",
    ]
    return ["-T", "-a", "-x"] + options.flatMap { ["-o", $0] }
      // After `--` nothing is an option; the words after the host are the remote command.
      + ["--", host.text, "kettle", "daemon", "pipe"]
      + (startingIfNeeded ? [] : ["--if-running"])
  }
}
