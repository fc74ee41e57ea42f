import CKettleLinux
import Glibc
import KettleFiles
import KettleModel
import KettleSystem

/// Starts the programs of hooks.
struct HookLauncher: Sendable {
  /// The end of a program.
  struct End: Sendable, Hashable {
    /// `exited` or `killed`.
    var outcome: HookOutcome
    /// The last lines that it printed.
    var lines: [String] = []
  }

  /// Why a program did not start.
  struct NotStarted: Error, Hashable {
    /// The name of the errno.
    var errno: String
  }

  /// The service's environment; a program gets it plus the variables of its hook.
  let environment: [String: String]
  let homeDirectory: String
  /// The directory of the unnamed files for what programs print.
  let outputDirectory: String
  /// Calls a function on a thread of its own, or throws.
  var detach: @Sendable (@escaping @Sendable () -> Void) throws(SystemError) -> Void = {
    body throws(SystemError) in try SystemThread(body).detach()
  }

  /// Starts the program of a hook, without a shell. It shares nothing with this process except the
  /// two files that are its standard input and its output.
  ///
  /// - Parameter ended: called once, on a thread of its own.
  func start(
    _ run: HookRun, _ occasion: HookOccasion, ended: @escaping @Sendable (End) -> Void
  ) -> Result<HookProgram, NotStarted> {
    let values = HookValues(run, occasion)
    guard let path = path(of: run.command.program) else { return .failure(Self.failure(ENOENT)) }
    guard let input = Self.input(values.document),
      let output = HookOutput(path: outputDirectory + "/hook-\(run.id.rawValue).out")
    else { return .failure(Self.failure(errno)) }
    var spawn = ProcessSpawn(
      executablePath: path, arguments: values.arguments, log: output.number)
    spawn.input = input.number
    spawn.environment = values.environment(environment)
    spawn.directory = directory(for: values.path)
    switch spawn.run() {
    case .failure(let failed): return .failure(Self.failure(failed.code))
    case .success(let processID):
      let program = HookProgram(processID: processID)
      do throws(SystemError) {
        try detach {
          let outcome = program.waitForEnd()
          ended(End(outcome: outcome, lines: output.lastLines()))
        }
      } catch {
        program.signal(SIGKILL)
        _ = program.waitForEnd()
        return .failure(Self.failure(EAGAIN))
      }
      return .success(program)
    }
  }

  private static func failure(_ code: Int32) -> NotStarted {
    NotStarted(errno: Errno(rawValue: code).name)
  }

  private func path(of program: String) -> String? {
    if program.hasPrefix("~/") { return homeDirectory + program.dropFirst() }
    return program.contains("/")
      ? program : SearchPath(environment: environment).path(of: program)
  }

  /// The directory of the file, or the home directory if it does not exist.
  private func directory(for path: String?) -> String {
    let parent = path.flatMap { path in
      path.lastIndex(of: "/").map { String(path[..<$0]) }
    }
    return [parent, homeDirectory].compactMap(\.self)
      .first { !$0.isEmpty && access($0, X_OK) == 0 } ?? "/"
  }

  /// Returns a file in memory with the text, to be read from its start. A program that does not
  /// read it delays nothing. Returns nil if there is none; `errno` has the reason.
  private static func input(_ text: String) -> OwnedDescriptor? {
    guard let opened = OwnedDescriptor(opened: kettle_memory_file("kettle-hook")),
      let file = ProcessSpawn.highDescriptor(opened)
    else { return nil }
    let bytes = Array(text.utf8)
    guard pwrite(file.number, bytes, bytes.count, 0) == bytes.count else { return nil }
    return file
  }
}

/// The file for what the program of a hook prints. It has no name, so it disappears with the last
/// process that has it open.
final class HookOutput: Sendable {
  private let file: OwnedDescriptor

  private static let tailByteCountMax = 4096
  private static let lineCountMax = 20

  /// Returns nil if the file cannot be created; `errno` has the reason.
  ///
  /// - Parameter path: a name that no other program uses.
  init?(path: String) {
    // A service that ended between the two calls left it.
    unlink(path)
    let flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW
    guard let opened = OwnedDescriptor(opened: open(path, flags, 0o600)) else { return nil }
    unlink(path)
    guard let file = ProcessSpawn.highDescriptor(opened) else { return nil }
    self.file = file
  }

  var number: Int32 { file.number }

  /// Returns the last lines, for display; none if the program printed nothing.
  func lastLines() -> [String] {
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_size > 0 else { return [] }
    let start = max(0, status.st_size - off_t(Self.tailByteCountMax))
    var bytes = [UInt8](repeating: 0, count: Self.tailByteCountMax)
    let count = pread(file.number, &bytes, bytes.count, start)
    guard count > 0 else { return [] }
    return bytes.prefix(count).split { $0 == 10 || $0 == 13 }.suffix(Self.lineCountMax)
      .map { line in
        String(decoding: line, as: UTF8.self).trimmingBlanks()
          .sanitizedForDisplay(limit: HookEnd.lineLengthMax)
      }
      .filter { !$0.isEmpty }
  }
}

/// The running program of a hook. It leads a process group of its own.
final class HookProgram: Sendable {
  private enum Phase: Sendable {
    /// Not reaped, so that no other process can have its number.
    case running
    /// As `running`; it was sent a signal.
    case signalled
    case ended
  }

  private let processID: pid_t
  private let phase = Mutex(Phase.running)

  /// - Parameter processID: a child of this process that leads a process group.
  init(processID: pid_t) { self.processID = processID }

  /// Sends a signal to the program and the processes that it has started. Does nothing once the
  /// program has ended.
  func signal(_ number: Int32) {
    phase.withLock { phase in
      switch phase {
      case .running, .signalled:
        kill(-processID, number)
        phase = .signalled
      case .ended: break
      }
    }
  }

  /// Waits for the end of the program, on the calling thread. If it was sent a signal, what is left
  /// of its process group is killed: nothing else would end a process that ignores the signal.
  func waitForEnd() -> HookOutcome {
    var information = siginfo_t()
    while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    let status = phase.withLock { phase in
      switch phase {
      // The number of the group cannot be another's as long as its leader is not reaped.
      case .signalled: kill(-processID, SIGKILL)
      case .running, .ended: break
      }
      phase = .ended
      return ProcessStatus.ofEnded(processID)
    }
    guard let status else { return .interrupted }
    return status.signal.map { .killed(signal: $0) } ?? .exited(code: status.exitCode)
  }
}
