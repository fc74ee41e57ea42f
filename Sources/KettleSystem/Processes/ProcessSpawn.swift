import CKettleLinux
@preconcurrency import Glibc

/// Starts a program with posix_spawn(3). The program shares nothing with this process: it has its
/// own process session, no terminal, no signal mask, and no descriptors except those it is given.
///
/// `@preconcurrency` is for `environ`, which is read once, for a call that copies it.
package struct ProcessSpawn: Sendable {
  package struct Failed: Error {
    package let code: Int32
  }

  /// Absolute.
  package var executablePath: String
  /// The program's own name comes first.
  package var arguments: [String]
  /// nil: the environment of this process.
  package var environment: [String: String]?
  package var directory = "/"
  /// The descriptor for standard output and standard error. The caller keeps it open until `run`
  /// returns.
  package var log: Int32
  /// The descriptor for standard input; nil is an empty one. The caller keeps it open, like `log`.
  package var input: Int32?
  /// Another descriptor, passed to the program as `readyDescriptor`. The caller keeps it open, like
  /// `log`.
  package var ready: Int32?

  package init(executablePath: String, arguments: [String], log: Int32) {
    self.executablePath = executablePath
    self.arguments = arguments
    self.log = log
  }

  /// The descriptor of the pipe on which a service reports that it accepts requests.
  package static let readyDescriptor: Int32 = 3

  /// Moves a descriptor above those that the program gets, so that placing one of them cannot
  /// overwrite another. Returns nil when no descriptor is left; `errno` has the reason.
  package static func highDescriptor(_ descriptor: consuming OwnedDescriptor) -> OwnedDescriptor? {
    guard descriptor.number <= readyDescriptor else { return descriptor }
    return OwnedDescriptor(opened: fcntl(descriptor.number, F_DUPFD_CLOEXEC, readyDescriptor + 1))
  }

  /// Starts the program under the limits that this process was started with.
  package func run() -> Result<pid_t, Failed> {
    OwnChildren.starting { DescriptorLimit.withFormer { spawn() } }
  }

  private func spawn() -> Result<pid_t, Failed> {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    let problem = prepare(&actions) ?? Self.prepare(&attributes, hasOwnSession: true)
    if let problem { return .failure(Failed(code: problem)) }
    var processID: pid_t = 0
    let result = Self.withCStrings(arguments) { argumentPointers in
      guard let environment else {
        return posix_spawn(
          &processID, executablePath, &actions, &attributes, argumentPointers, environ)
      }
      return Self.withCStrings(environment.map { "\($0.key)=\($0.value)" }) {
        posix_spawn(&processID, executablePath, &actions, &attributes, argumentPointers, $0)
      }
    }
    return result == 0 ? .success(processID) : .failure(Failed(code: result))
  }

  private func prepare(_ actions: inout posix_spawn_file_actions_t) -> Int32? {
    Self.firstProblem([
      input.map { posix_spawn_file_actions_adddup2(&actions, $0, STDIN_FILENO) }
        ?? posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0),
      posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO),
      posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO),
      ready.map { posix_spawn_file_actions_adddup2(&actions, $0, Self.readyDescriptor) } ?? 0,
      // Also closes descriptors that our own parent left open without the close-on-exec flag.
      kettle_spawn_close_from(&actions, Self.readyDescriptor + (ready == nil ? 0 : 1)),
      kettle_spawn_change_directory(&actions, directory),
    ])
  }

  static func prepare(
    _ attributes: inout posix_spawnattr_t, hasOwnSession: Bool
  ) -> Int32? {
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    let flags =
      Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
      | (hasOwnSession ? kettle_spawn_setsid_flag() : 0)
    return firstProblem([
      posix_spawnattr_setsigmask(&attributes, &none),
      posix_spawnattr_setsigdefault(&attributes, &all),
      posix_spawnattr_setflags(&attributes, flags),
    ])
  }

  static func firstProblem(_ results: [Int32]) -> Int32? {
    results.first { $0 != 0 }
  }

  /// Calls `body` with the texts as the null-terminated array of C strings that exec(3) expects.
  static func withCStrings<Result>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = texts.map { strdup($0) }
    defer { pointers.forEach { free($0) } }
    return body(pointers + [nil])
  }
}
