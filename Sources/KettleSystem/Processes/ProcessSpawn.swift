import CKettleLinux
import Glibc

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

  /// Makes an input that is at its end: /dev/null, or a pipe that nobody writes to, in a root
  /// without devices. Returns nil when no descriptor is left; `errno` has the reason.
  static func emptyInput(device: String = "/dev/null") -> OwnedDescriptor? {
    if let null = OwnedDescriptor(opened: open(device, O_RDONLY | O_CLOEXEC)) {
      return highDescriptor(null)
    }
    var ends: [Int32] = [-1, -1]
    guard errno == ENOENT, kettle_pipe(&ends) == 0 else { return nil }
    _ = OwnedDescriptor(owning: ends[1])
    return highDescriptor(OwnedDescriptor(owning: ends[0]))
  }

  private func spawn() -> Result<pid_t, Failed> {
    guard let empty = Self.emptyInput() else { return .failure(Failed(code: errno)) }
    let result = spawn(input: input ?? empty.number)
    // Close it only now; the program has its own copy.
    _ = consume empty
    return result
  }

  private func spawn(input: Int32) -> Result<pid_t, Failed> {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    let problem =
      prepare(&actions, input: input) ?? Self.prepare(&attributes, hasOwnSession: true)
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

  private func prepare(
    _ actions: inout posix_spawn_file_actions_t, input: Int32
  ) -> Int32? {
    Self.firstProblem([
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO),
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

/// The directories in which programs are found by name.
package struct SearchPath: Sendable, Hashable {
  package var directories: [String]

  /// Splits a value of PATH. Skips relative directories, because their meaning depends on the
  /// working directory.
  package init(_ text: String) {
    directories = text.split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
  }

  package init(environment: [String: String]) {
    self.init(environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")
  }

  /// Returns the path of a program, or nil if no directory has it.
  package func path(
    of program: String, canRun: (String) -> Bool = { access($0, X_OK) == 0 }
  ) -> String? {
    directories.lazy.map { "\($0)/\(program)" }.first(where: canRun)
  }
}

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
