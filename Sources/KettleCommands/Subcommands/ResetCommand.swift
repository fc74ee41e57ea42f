import ArgumentParser
import KettleClient
import KettleControl

/// `kettle reset`
struct ResetCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Move the downloaded files to the bin and reset all transfers.",
    discussion: """
      Moves the files that Kettle downloaded. A file that another program has modified stays in \
      its place and is listed. The list stays, ready to be started again. For ten minutes, \
      "kettle undo" brings everything back.

      Examples:
        kettle reset
        kettle reset --yes
      """)

  @Flag(name: [.short, .long], help: "Do not ask.")
  var yes = false

  func run(in context: CommandContext) async throws -> ExitCode {
    if !yes {
      guard context.console.isInputTerminal else {
        throw UsageError(.command(.confirmationNeedsTerminal(command: "reset")))
      }
      guard try context.console.confirms(Sentences.resetQuestion) else {
        context.console.printNote(Sentences.nothingChanged)
        return .interrupted
      }
    }
    return try await context.withService(for: "kettle reset") { service in
      let result = try await service.call(ResetTransfers.self, .init())
      try context.console.write(
        Sentences.reset(result).map { $0 + "\n" }.joined(), to: .output)
      return .done
    }
  }
}
