import ArgumentParser

/// `kettle rpc disable`
struct RPCDisableCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable",
    abstract: "Close the port.",
    discussion: "The secret is kept for the next time.")

  static var isForThisMachineOnly: Bool { true }

  func run(in context: CommandContext) async throws -> ExitCode {
    var configuration = try UserConfiguration.toChange(in: context)
    try configuration.set("rpc.enabled", to: ["false"])
    try configuration.write()
    try await ConfigReloadCommand.apply(changeOf: "rpc.enabled", in: context)
    try context.console.printLine(Sentences.rpcIsClosed)
    return .done
  }
}
