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
