import ArgumentParser
import KettleClient
import KettleControl

/// `kettle reset`
struct ResetCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Delete the fetched files and put all transfers back to idle.",
    discussion: """
      Only files that Kettle put there, and that are still exactly what it wrote, are deleted; \
      what was changed by others is kept and named. The list stays, ready to be started again.

      Examples:
        kettle reset
        kettle reset --yes
      """)

  @Flag(name: [.short, .long], help: "Do not ask.")
  var yes = false

  func run(in world: CommandContext) async throws -> ExitCode {
    if !yes {
      guard world.console.isInputTerminal else {
        throw UsageError(.command(.confirmationNeedsTerminal(command: "reset")))
      }
      guard try world.console.confirms(Sentences.resetQuestion) else {
        world.console.mention(Sentences.nothingChanged)
        return .interrupted
      }
    }
    return try await world.withService(for: "kettle reset") { service in
      let result = try await service.call(ResetTransfers.self, .init())
      try world.console.write(
        Sentences.reset(result).map { $0 + "\n" }.joined(), to: .output)
      return .done
    }
  }
}
