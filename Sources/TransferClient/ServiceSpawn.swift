import CLinux
@preconcurrency import Glibc

/// posix_spawn(3) of a service that shares nothing with the program that starts it: a session of
/// its own, no terminal, no descriptor but the log and the pipe, no signal mask, cwd `/`.
enum ServiceSpawn {
  struct Failed: Error {
    let code: Int32
  }

  /// Where the service finds the pipe on which it says that it answers.
  static let readyDescriptor: Int32 = 3

  /// Moves a descriptor above those that the service gets, so that putting one of them in place
  /// cannot overwrite another. The old one is closed; a negative one stays as it is.
  static func highDescriptor(_ descriptor: Int32) -> Int32 {
    guard descriptor >= 0, descriptor <= readyDescriptor else { return descriptor }
    let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, readyDescriptor + 1)
    close(descriptor)
    return moved
  }

  static func run(
    executablePath: String, arguments: [String], environment: [String: String]?, log: Int32,
    ready: Int32
  ) -> Result<pid_t, Failed> {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    let problem = prepare(&actions, log: log, ready: ready) ?? prepare(&attributes)
    if let problem { return .failure(Failed(code: problem)) }
    var processID: pid_t = 0
    let result = withCStrings(arguments) { argumentPointers in
      guard let environment else {
        return posix_spawn(
          &processID, executablePath, &actions, &attributes, argumentPointers, environ)
      }
      return withCStrings(environment.map { "\($0.key)=\($0.value)" }) {
        posix_spawn(&processID, executablePath, &actions, &attributes, argumentPointers, $0)
      }
    }
    return result == 0 ? .success(processID) : .failure(Failed(code: result))
  }

  private static func prepare(
    _ actions: inout posix_spawn_file_actions_t, log: Int32, ready: Int32
  ) -> Int32? {
    firstProblem([
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0),
      posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO),
      posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO),
      posix_spawn_file_actions_adddup2(&actions, ready, readyDescriptor),
      // What our own parent left open for us, without the close-on-exec flag, ends here too.
      kettle_spawn_close_from(&actions, readyDescriptor + 1),
      kettle_spawn_change_directory(&actions, "/"),
    ])
  }

  private static func prepare(_ attributes: inout posix_spawnattr_t) -> Int32? {
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    let flags =
      Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | kettle_spawn_setsid_flag()
    return firstProblem([
      posix_spawnattr_setsigmask(&attributes, &none),
      posix_spawnattr_setsigdefault(&attributes, &all),
      posix_spawnattr_setflags(&attributes, flags),
    ])
  }

  private static func firstProblem(_ results: [Int32]) -> Int32? {
    results.first { $0 != 0 }
  }

  /// Lends the texts as the array of C strings, closed by a null, that exec(3) wants.
  private static func withCStrings<Result>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = texts.map { strdup($0) }
    defer { pointers.forEach { free($0) } }
    return body(pointers + [nil])
  }
}
