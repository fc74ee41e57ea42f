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

  @Argument(help: ArgumentHelp("The session.", valueName: "id"))
  var session: String

  @Flag(name: [.short, .long], help: "Do not ask.")
  var yes = false

  func run(in world: CommandWorld) async throws -> ExitCode {
    let id = SessionID(rawValue: session)
    return try await world.withService(for: "kettle session drop") { service in
      if !yes {
        let sessions = try await service.call(ListSessions.self, .init()).sessions
        guard let summary = sessions.first(where: { $0.id == id }) else {
          throw ControlError(.unknownSession, session)
        }
        guard world.console.isInputTerminal else {
          throw UsageError(.command(.confirmationNeedsTerminal(command: "session drop")))
        }
        guard try world.console.confirms(Sentences.dropQuestion(summary)) else {
          world.console.mention(Sentences.nothingChanged)
          return .interrupted
        }
      }
      let result = try await service.call(DropSession.self, .init(session: id))
      try world.console.say(Sentences.dropped(id, result.ids))
      return .done
    }
  }
}
