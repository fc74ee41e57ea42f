import ArgumentParser
import KettleClient
import KettleControl
import KettleModel

/// `kettle session adopt`
struct SessionAdoptCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt",
    abstract: "Take over the transfers of a program's session.",
    discussion: """
      Finished files stay where they are and their paths are printed; move those that you want to \
      keep out of the service's directory. Unfinished transfers continue as your own, and the \
      session is removed. Fails while its program is connected.
      """)

  @Argument(
    help: ArgumentHelp("The session.", valueName: "id"), completion: .asking(.sessions))
  var session: String

  func run(in context: CommandContext) async throws -> ExitCode {
    let id = SessionID(rawValue: session)
    return try await context.withService(for: "kettle session adopt") { service in
      let result = try await service.call(AdoptSession.self, .init(session: id))
      let lines = Sentences.adopted(id, result)
      try context.console.write(lines.map { $0 + "\n" }.joined(), to: .output)
      return .done
    }
  }
}
