import ArgumentParser
import KettleClient
import KettleControl

/// `kettle undo`
struct UndoCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo the last stop, remove, reset or clear, with every byte.",
    discussion: """
      For ten minutes, what these commands discard is in the bin. Each "kettle undo" undoes the \
      latest action in it; "kettle bin" lists them with their numbers. A transfer that was started \
      again since is not touched, and what it had stays in the bin. Exits with 2 if there is \
      nothing to undo, and with 1 if nothing could be restored.

      Examples:
        kettle undo
        kettle undo 1795630211034
      """)

  @Argument(help: ArgumentHelp("The number of an action as \"kettle bin\" lists it."))
  var number: Int64?

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle undo") { service in
      let undone = try await service.call(UndoAction.self, .init(number: number))
      guard let kind = undone.kind else {
        context.console.printError(Sentences.nothingToUndo(number))
        return .refused
      }
      for id in undone.busy { context.console.printError(Sentences.cannotUndo(id)) }
      if undone.restored.count == 0, !undone.busy.isEmpty { return .transferFailed }
      try context.console.printLine(
        Sentences.undone(
          kind, at: undone.at, count: undone.restored.count + undone.uncoveredCount, context.clock))
      return undone.busy.isEmpty ? .done : .transferFailed
    }
  }
}
