import Glibc
import KettleControl
import KettleFiles
import KettleModel
import KettleScheduler
import KettleSystem

/// Starts the programs of sessions, and reports how they end.
struct ProgramLauncher: Sendable {
  /// The environment variable that names the session with news for the program.
  static let environmentName = "KETTLE_SESSION_EVENTS"

  enum Event: Sendable, Hashable {
    case started(processID: Int64)
    /// The name of the errno.
    case notRun(String)
    /// `exit 1` or `signal 11`; the process has been reaped.
    case ended(String)
  }

  /// The service's environment; a program gets it plus its session's name.
  let environment: [String: String]
  /// The file for the program's output.
  let logPath: String

  /// Calls `report` with `notRun`, or with `started` and later `ended`. The program is never
  /// interrupted, however long it runs.
  func launch(
    _ command: LaunchCommand, for session: SessionID,
    report: @escaping @Sendable (Event) -> Void
  ) {
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW
    guard let opened = OwnedDescriptor(opened: open(logPath, flags, 0o600)),
      let log = ProcessSpawn.highDescriptor(opened)
    else { return report(.notRun(Errno(rawValue: errno).name)) }
    var spawn = ProcessSpawn(
      executablePath: command.executablePath,
      arguments: [command.executablePath] + command.arguments, log: log.number)
    spawn.environment = environment.merging([Self.environmentName: session.rawValue]) { $1 }
    spawn.directory = command.directory ?? "/"
    switch spawn.run() {
    case .failure(let failed): report(.notRun(Errno(rawValue: failed.code).name))
    case .success(let processID):
      report(.started(processID: Int64(processID)))
      // A child that is not waited for stays in the process table.
      SystemThread.detach {
        report(.ended(ProcessStatus.ofEnded(processID)?.text ?? "exit unknown"))
      }
    }
  }
}

extension SessionSummary {
  init(_ machine: SessionMachine, _ tally: TaskTally, at now: WallTime) {
    let counts = tally.counts.map { ($0.key.rawValue, $0.value) }
    self.init(
      id: machine.record.id, processID: machine.holder?.processID,
      lastSeenAt: machine.holder == nil ? machine.record.lastSeenAt : now,
      launch: machine.record.options.launch,
      sendsLaunchEvents: machine.record.options.sendsLaunchEvents,
      counts: Dictionary(uniqueKeysWithValues: counts), unreportedCount: tally.unreportedCount,
      notice: machine.trouble.map(LaunchNotice.init))
  }
}

extension LaunchNotice {
  init(_ trouble: LaunchTrouble) {
    switch trouble.problem {
    case .notRun(let name): self.init(problem: .notRun, at: trouble.at, detail: name)
    case .ended(let how): self.init(problem: .ended, at: trouble.at, detail: how)
    case .silent: self.init(problem: .silent, at: trouble.at)
    }
  }
}
