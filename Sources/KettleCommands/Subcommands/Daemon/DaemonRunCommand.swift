import ArgumentParser
import Glibc

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
