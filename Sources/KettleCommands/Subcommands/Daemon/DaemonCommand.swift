import ArgumentParser

/// `kettle daemon`
struct DaemonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "daemon",
    abstract: "Run, start, stop or look at the service.",
    discussion: """
      Every command starts the service when it needs it and none runs, so this is rarely wanted. \
      Transfers that were under way when it stopped go on when it is started again.
      """,
    subcommands: [
      DaemonRunCommand.self, DaemonStartCommand.self, DaemonStopCommand.self,
      DaemonStatusCommand.self, DaemonPipeCommand.self,
    ])
}
