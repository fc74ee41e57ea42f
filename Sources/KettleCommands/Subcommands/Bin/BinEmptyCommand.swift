import ArgumentParser
import KettleClient
import KettleControl

/// `kettle bin empty`
struct BinEmptyCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "empty",
    abstract: "Delete everything in the bin now.",
    discussion: """
      Nothing of it can be undone afterwards, so it asks first. Without a terminal it requires \
      --yes.

      Examples:
        kettle bin empty
        kettle bin empty --yes
      """)

  @Flag(name: [.short, .long], help: "Do not ask.")
  var yes = false

  func run(in context: CommandContext) async throws -> ExitCode {
    if !yes, !context.console.isInputTerminal {
      throw UsageError(.command(.confirmationNeedsTerminal(command: "bin empty")))
    }
    return try await context.withService(for: "kettle bin empty") { service in
      let before = try await service.call(ListBin.self, .init()).actions
      guard !before.isEmpty else {
        context.console.printNote(Sentences.binEmpty)
        return .done
      }
      guard try yes || context.console.confirms(Sentences.emptyBinQuestion(before)) else {
        context.console.printNote(Sentences.nothingChanged)
        return .interrupted
      }
      let deleted = try await service.call(EmptyBin.self, .init()).actions
      try context.console.printLine(Sentences.binEmptied(deleted))
      return .done
    }
  }
}
