import ArgumentParser
import KettleClient
import KettleControl
import KettleModel

/// `kettle session adopt`
struct SessionAdoptCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt",
    abstract: "Make the transfers of a program's session your own.",
    discussion: """
      Finished files stay where they are, which is printed; move those that you want to keep out of \
      the service's own directory. What is unfinished goes on as yours. The session is gone then. \
      Refused while its program is connected.
      """)

  @Argument(help: ArgumentHelp("The session.", valueName: "id"))
  var session: String

  func run(in world: CommandContext) async throws -> ExitCode {
    let id = SessionID(rawValue: session)
    return try await world.withService(for: "kettle session adopt") { service in
      let result = try await service.call(AdoptSession.self, .init(session: id))
      let lines = Sentences.adopted(id, result)
      try world.console.write(lines.map { $0 + "\n" }.joined(), to: .output)
      return .done
    }
  }
}
