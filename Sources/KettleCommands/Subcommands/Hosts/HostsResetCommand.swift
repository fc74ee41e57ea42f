import ArgumentParser
import KettleClient
import KettleControl

/// `kettle hosts reset`
struct HostsResetCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Forget a host's limit, pause, outage and rejected login, and try it now.",
    discussion: """
      Exits with 2 if nothing is remembered about the host.

      Example:
        kettle hosts reset files.example.org
      """)

  @Argument(
    help: ArgumentHelp("A host, a host and port, or an origin as listed.", valueName: "host"),
    completion: .asking(.hosts))
  var name: String

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle hosts reset") { service in
      let origins = try await service.call(ResetHost.self, .init(host: name)).origins
      guard !origins.isEmpty else {
        context.console.printError(Sentences.nothingKnown(about: name))
        return .refused
      }
      for origin in origins { try context.console.printLine(Sentences.hostReset(origin)) }
      return .done
    }
  }
}
