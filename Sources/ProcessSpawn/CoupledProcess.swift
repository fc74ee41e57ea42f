import CLinux
import Glibc

/// A program that talks with us over a socket, which is its standard input and output.
package struct CoupledProcess: Sendable {
  package let processID: pid_t
  /// Our end; whoever takes it closes it. It does not block.
  package let socket: Int32
  /// What the program writes to standard error; the end that is read.
  package let errors: Int32

  /// Starts the program of this name in the PATH of `environment`.
  ///
  /// - Parameter mayAsk: Whether it stays in our terminal, to ask there. Without it has none.
  package static func start(
    _ program: String, _ arguments: [String], environment: [String: String], mayAsk: Bool
  ) -> Result<CoupledProcess, ProcessSpawn.Failed> {
    guard let path = ProcessSpawn.path(of: program, environment) else {
      return .failure(ProcessSpawn.Failed(code: ENOENT))
    }
    var sockets: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &sockets) == 0 else {
      return .failure(ProcessSpawn.Failed(code: errno))
    }
    var pipes: [Int32] = [-1, -1]
    guard kettle_pipe(&pipes) == 0 else {
      let code = errno
      for descriptor in sockets { close(descriptor) }
      return .failure(ProcessSpawn.Failed(code: code))
    }
    let theirs = ProcessSpawn.highDescriptor(sockets[1])
    let theirErrors = ProcessSpawn.highDescriptor(pipes[1])
    defer {
      close(theirs)
      close(theirErrors)
    }
    let result = ProcessSpawn.withCStrings([program] + arguments) { words in
      ProcessSpawn.withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
        spawn(path, words, variables, theirs, theirErrors, mayAsk: mayAsk)
      }
    }
    switch result {
    case .success(let processID):
      _ = fcntl(sockets[0], F_SETFL, O_NONBLOCK)
      return .success(
        CoupledProcess(processID: processID, socket: sockets[0], errors: pipes[0]))
    case .failure(let failed):
      close(sockets[0])
      close(pipes[0])
      return .failure(failed)
    }
  }

  private static func spawn(
    _ path: String, _ words: [UnsafeMutablePointer<CChar>?],
    _ variables: [UnsafeMutablePointer<CChar>?], _ socket: Int32, _ errors: Int32, mayAsk: Bool
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
      ]) ?? ProcessSpawn.prepare(&attributes, hasOwnSession: !mayAsk)
    if let problem { return .failure(ProcessSpawn.Failed(code: problem)) }
    var processID: pid_t = 0
    let result = posix_spawn(&processID, path, &actions, &attributes, words, variables)
    return result == 0 ? .success(processID) : .failure(ProcessSpawn.Failed(code: result))
  }
}
