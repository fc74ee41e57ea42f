import Glibc
import KettleSystem
import KettleFiles
import KettleModel

/// Starts the programs of sessions, and tells how they end.
struct ProgramLauncher: Sendable {
  /// What a program is told by: the session that has news for it.
  static let environmentName = "KETTLE_SESSION_EVENTS"

  enum News: Sendable, Hashable {
    case started(processID: Int64)
    /// The name of the errno.
    case notRun(String)
    /// `exit 1` or `signal 11`; nobody waits for the process any more.
    case ended(String)
  }

  /// Of the service; a program gets it with its session's name in it.
  let environment: [String: String]
  /// Where what a program prints goes.
  let logPath: String

  /// Calls `tell` with `notRun`, or with `started` and, in its own time, `ended`. The program is
  /// left alone however long it takes.
  func launch(
    _ command: LaunchCommand, for session: SessionID, _ tell: @escaping @Sendable (News) -> Void
  ) {
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW
    guard let opened = OwnedDescriptor(opened: open(logPath, flags, 0o600)),
      let log = ProcessSpawn.highDescriptor(opened)
    else { return tell(.notRun(Errno(rawValue: errno).name)) }
    var spawn = ProcessSpawn(
      executablePath: command.executablePath,
      arguments: [command.executablePath] + command.arguments, log: log.number)
    spawn.environment = environment.merging([Self.environmentName: session.rawValue]) { $1 }
    spawn.directory = command.directory ?? "/"
    switch spawn.run() {
    case .failure(let failed): tell(.notRun(Errno(rawValue: failed.code).name))
    case .success(let processID):
      tell(.started(processID: Int64(processID)))
      // A child that nobody waits for stays on the system's list.
      DetachedThread.start {
        tell(.ended(ProcessStatus.ofEnded(processID)?.text ?? "exit unknown"))
      }
    }
  }
}
