import KettleControl
import KettleSocket
import KettleStarter
import KettleSystem

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
