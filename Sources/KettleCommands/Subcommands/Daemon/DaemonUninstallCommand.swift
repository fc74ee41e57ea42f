import ArgumentParser

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
