import ArgumentParser

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
