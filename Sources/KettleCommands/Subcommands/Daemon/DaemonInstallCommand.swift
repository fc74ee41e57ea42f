import ArgumentParser
import KettleControl
import KettleStarter

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
