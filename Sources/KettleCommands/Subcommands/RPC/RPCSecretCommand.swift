import ArgumentParser

/// `kettle rpc secret`
struct RPCSecretCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "secret",
    abstract: "Print the secret, or make a new one.",
    discussion: "With --new, clients that present the old one are no longer answered.")

  static var isForThisMachineOnly: Bool { true }

  @Flag(name: .customLong("new"), help: "Replace it.")
  var isNew = false

  func run(in context: CommandContext) async throws -> ExitCode {
    if isNew {
      let secret = try RPCSecretText.prepare(in: context, isNew: true)
      try await ConfigReloadCommand.apply(changeOf: "rpc.secret", in: context)
      try context.console.printLine(secret)
      return .done
    }
    guard let secret = RPCSecretText.read(in: context) else {
      context.console.printError(Sentences.noSecret)
      return .refused
    }
    try context.console.printLine(secret)
    return .done
  }
}
