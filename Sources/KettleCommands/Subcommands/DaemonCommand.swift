import ArgumentParser
import Glibc
import KettleControl
import KettleModel
import KettleSocket
import KettleStarter

/// `kettle daemon`
struct DaemonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "daemon",
    abstract: "Run, start, stop or inspect the service.",
    discussion: """
      Every command starts the service if needed, so these commands are rarely necessary. \
      Transfers that were running when it stopped resume when it starts again.
      """,
    subcommands: [
      DaemonRunCommand.self, DaemonStartCommand.self, DaemonStopCommand.self,
      DaemonStatusCommand.self, DaemonInstallCommand.self, DaemonUninstallCommand.self,
      DaemonPipeCommand.self,
    ])
}

/// `kettle daemon start`
struct DaemonStartCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start the service in the background and wait until it is ready.")

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle daemon start") { service in
      let status = try await service.call(ServiceStatus.self, .init())
      let lines = [Sentences.serviceRuns(status)] + Sentences.notices(status)
      try context.console.write(lines.map { $0 + "\n" }.joined(), to: .output)
      return .done
    }
  }
}

/// `kettle daemon stop`
struct DaemonStopCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "Stop the service and wait until it has exited.",
    discussion: """
      Running transfers resume when the service starts again; the next command that needs the \
      service starts it.
      """)

  func run(in context: CommandContext) async throws -> ExitCode {
    switch try await ServiceStopper(context: context, address: context.address).stop() {
    case .stopped:
      try context.console.printLine(Sentences.serviceStopped)
      return .done
    case .didNotRun:
      try context.console.printLine(Sentences.noServiceRuns)
      return .done
    case .stillRuns:
      context.console.printError(Sentences.serviceStillRuns)
      return .timedOut
    }
  }
}

/// `kettle daemon status`
struct DaemonStatusCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show whether the service is running, and its status.",
    discussion: """
      Does not start the service. Exits with 0 if it is running and with 3 if it is not.
      """)

  @Flag(help: "Print JSON.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle daemon status", startIfNeeded: false) { service in
      let status = try await service.call(ServiceStatus.self, .init())
      let notices =
        try await [Sentences.otherVersion(status)].compactMap(\.self)
        + Self.launchNotices(service) + Self.rpcNotices(service)
      let socketPath =
        status.places?.socketPath ?? context.services.socketPath(of: context.address)
      if json {
        try context.console.printLine(status.json(notices: notices, socketPath: socketPath).text)
      } else {
        let lines = Sentences.status(
          status, notices: notices, socketPath: socketPath, clock: context.clock)
        try context.console.write(lines.map { $0 + "\n" }.joined(), to: .output)
      }
      return .done
    }
  }

  /// Why the RPC is closed although it is enabled.
  private static func rpcNotices(_ service: any ServiceCalling) async throws -> [String] {
    do {
      let status = try await service.call(DescribeRPC.self, .init())
      return status.problem == nil ? [] : [Sentences.rpcProblem(status)]
    } catch let error as ControlError where error.code == .methodNotFound {
      return []
    }
  }

  private static func launchNotices(_ service: any ServiceCalling) async throws -> [String] {
    do {
      let sessions = try await service.call(ListSessions.self, .init()).sessions
      return sessions.compactMap(Sentences.launchNotice)
    } catch let error as ControlError where error.code == .methodNotFound {
      // An older service, which launches no programs.
      return []
    }
  }
}

/// `kettle daemon install`
struct DaemonInstallCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Let systemd run the service for you.",
    discussion: """
      Writes kettle.socket and kettle.service to ~/.config/systemd/user and enables them: the \
      service then starts at login, and with the first command. It ends at the last logout, \
      unless "loginctl enable-linger" is set. A running service is stopped first; its transfers \
      continue. The packages of Kettle bring these units along.
      """)

  static var isForThisMachineOnly: Bool { true }

  func run(in context: CommandContext) async throws -> ExitCode {
    try ServicePaths.of(environment: context.environment).checkWriter()
    let systemd = try UserSystemd(in: context)
    try systemd.write()
    // Two services cannot have the same socket.
    if try await ServiceStopper(context: context, address: context.address).stop() == .stillRuns {
      context.console.printError(Sentences.serviceStillRuns)
      return .timedOut
    }
    try systemd.run("daemon-reload")
    try systemd.run(
      "enable", "--now", SystemdUnits.socketName, SystemdUnits.serviceName)
    try context.console.printLine(Sentences.installed(in: systemd.directory))
    return .done
  }
}

/// `kettle daemon uninstall`
struct DaemonUninstallCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uninstall",
    abstract: "Undo \"kettle daemon install\".",
    discussion: """
      Stops the service and removes the units from ~/.config/systemd/user. From then on commands \
      start the service themselves again. Transfers, settings and files stay.
      """)

  static var isForThisMachineOnly: Bool { true }

  func run(in context: CommandContext) async throws -> ExitCode {
    let systemd = try UserSystemd(in: context)
    try systemd.run(
      "disable", "--now", SystemdUnits.socketName, SystemdUnits.serviceName)
    try systemd.remove()
    try systemd.run("daemon-reload")
    try context.console.printLine(Sentences.uninstalled)
    return .done
  }
}

/// `kettle daemon run`
struct DaemonRunCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run the service in the foreground until it is stopped.",
    discussion: """
      For a supervisor such as systemd, or to watch the log of the service. Ctrl-C stops it.
      """)

  static let isForThisMachineOnly = true

  @OptionGroup var ready: ReadyOptions

  func run(in context: CommandContext) async throws -> ExitCode {
    let options = try ready.serviceOptions(in: context)
    return ExitCode(rawValue: await context.runService(options))
  }
}

/// How a service reports to the program that started it that it is ready.
struct ReadyOptions: ParsableArguments {
  @Option(help: ArgumentHelp("", visibility: .hidden))
  var readyFd: Int32?

  func serviceOptions(in context: CommandContext) throws(UsageError) -> ServiceRunOptions {
    if let readyFd {
      // EBADF is the only error of F_GETFD (fcntl(2)).
      guard readyFd >= 0, fcntl(readyFd, F_GETFD) >= 0 else {
        throw UsageError(.value(.readyDescriptor(readyFd)))
      }
    }
    return ServiceRunOptions(readyDescriptor: readyFd, environment: context.environment)
  }
}

/// `kettle daemon pipe`: runs on the other machine for `kettle --host`.
struct DaemonPipeCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pipe", abstract: "Connect standard input and output to the service.",
    shouldDisplay: false)
  static let isForThisMachineOnly = true

  @Flag(help: ArgumentHelp("", visibility: .hidden))
  var ifRunning = false

  func run(in context: CommandContext) async throws -> ExitCode {
    do {
      try await context.services.pipe(to: context.address, startIfNeeded: !ifRunning)
      return .done
    } catch ClientError.notRunning where ifRunning {
      return ExitCode(rawValue: RemoteStarter.notRunningStatus)
    } catch let error as ClientError {
      guard case .notAnswering = error else { throw error }
      context.console.printError(error.sentence)
      return ExitCode(rawValue: RemoteStarter.notAnsweringStatus)
    }
  }
}
