import CKettleLinux
import Glibc

/// A program whose standard input and output are a socket to this process.
package final class CoupledProcess: Sendable {
  package let processID: pid_t
  /// The read end of the program's standard error.
  package let errors: OwnedDescriptor
  private let socket: Mutex<OwnedDescriptor?>

  private init(
    processID: pid_t, socket: consuming OwnedDescriptor, errors: consuming OwnedDescriptor
  ) {
    self.processID = processID
    self.errors = errors
    self.socket = Mutex(socket)
  }

  /// Returns our non-blocking end of the socket and gives up its ownership. Returns nil the second
  /// time.
  package func takeSocket() -> OwnedDescriptor? { socket.withLock { $0.take() } }

  /// Starts a program, found by name through the PATH of `environment`.
  ///
  /// - Parameter keepsTerminal: Whether it keeps this process's terminal, to prompt there.
  package static func start(
    _ program: String, _ arguments: [String], environment: [String: String], keepsTerminal: Bool
  ) -> Result<CoupledProcess, ProcessSpawn.Failed> {
    guard let path = SearchPath(environment: environment).path(of: program) else {
      return .failure(ProcessSpawn.Failed(code: ENOENT))
    }
    var sockets: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &sockets) == 0 else {
      return .failure(ProcessSpawn.Failed(code: errno))
    }
    let ours = OwnedDescriptor(owning: sockets[0])
    let theirs = OwnedDescriptor(owning: sockets[1])
    var pipes: [Int32] = [-1, -1]
    guard kettle_pipe(&pipes) == 0 else {
      return .failure(ProcessSpawn.Failed(code: errno))
    }
    let errors = OwnedDescriptor(owning: pipes[0])
    let theirErrors = OwnedDescriptor(owning: pipes[1])
    guard let theirs = ProcessSpawn.highDescriptor(theirs),
      let theirErrors = ProcessSpawn.highDescriptor(theirErrors)
    else { return .failure(ProcessSpawn.Failed(code: errno)) }
    let (socketNumber, errorsNumber) = (theirs.number, theirErrors.number)
    let result = ProcessSpawn.withCStrings([program] + arguments) { words in
      ProcessSpawn.withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
        spawn(
          path, arguments: words, environment: variables, socket: socketNumber,
          errors: errorsNumber, keepsTerminal: keepsTerminal)
      }
    }
    // Close these only now; the program has its own copies.
    _ = consume theirs
    _ = consume theirErrors
    switch result {
    case .success(let processID):
      _ = fcntl(ours.number, F_SETFL, O_NONBLOCK)
      return .success(CoupledProcess(processID: processID, socket: ours, errors: errors))
    case .failure(let failed): return .failure(failed)
    }
  }

  private static func spawn(
    _ path: String, arguments: [UnsafeMutablePointer<CChar>?],
    environment: [UnsafeMutablePointer<CChar>?], socket: Int32, errors: Int32, keepsTerminal: Bool
  ) -> Result<pid_t, ProcessSpawn.Failed> {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    let problem =
      ProcessSpawn.firstProblem([
        posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO),
        posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO),
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO),
        kettle_spawn_close_from(&actions, STDERR_FILENO + 1),
      ]) ?? ProcessSpawn.prepare(&attributes, hasOwnSession: !keepsTerminal)
    if let problem { return .failure(ProcessSpawn.Failed(code: problem)) }
    var processID: pid_t = 0
    let result = posix_spawn(&processID, path, &actions, &attributes, arguments, environment)
    return result == 0 ? .success(processID) : .failure(ProcessSpawn.Failed(code: result))
  }
}
