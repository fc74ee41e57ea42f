import ArgumentParser
import KettleClient
import KettleControl
import KettleModel

/// `kettle session drop`
struct SessionDropCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop",
    abstract: "Remove a program's session and all files that it has not collected.",
    discussion: """
      Asks first. Fails while its program is connected. Files with a destination chosen by the \
      program are kept.
      """)

  @Argument(
    help: ArgumentHelp("The session.", valueName: "id"), completion: .asking(.sessions))
  var session: String

  @Flag(name: [.short, .long], help: "Do not ask.")
  var yes = false

  func run(in context: CommandContext) async throws -> ExitCode {
    let id = SessionID(rawValue: session)
    return try await context.withService(for: "kettle session drop") { service in
      if !yes {
        let sessions = try await service.call(ListSessions.self, .init()).sessions
        guard let summary = sessions.first(where: { $0.id == id }) else {
          throw ControlError(.unknownSession, session)
        }
        guard context.console.isInputTerminal else {
          throw UsageError(.command(.confirmationNeedsTerminal(command: "session drop")))
        }
        guard try context.console.confirms(Sentences.dropQuestion(summary)) else {
          context.console.printNote(Sentences.nothingChanged)
          return .interrupted
        }
      }
      let result = try await service.call(DropSession.self, .init(session: id))
      try context.console.printLine(Sentences.dropped(id, result.ids))
      return .done
    }
  }
}
