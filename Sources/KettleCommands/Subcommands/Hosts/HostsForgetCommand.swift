import ArgumentParser
import KettleClient
import KettleControl

/// `kettle hosts forget`
struct HostsForgetCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Forget the login and the trusted certificates that you gave for a host.",
    discussion: """
      A running transfer keeps them until it is started again. Exits with 2 if nothing is \
      remembered about the host.

      Example:
        kettle hosts forget nas.local
      """)

  @Argument(
    help: ArgumentHelp("A host, a host and port, or an origin as listed.", valueName: "host"),
    completion: .asking(.hosts))
  var name: String

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle hosts forget") { service in
      let origins = try await service.call(ForgetHost.self, .init(host: name)).origins
      guard !origins.isEmpty else {
        context.console.printError(Sentences.nothingKnown(about: name))
        return .refused
      }
      for origin in origins { try context.console.printLine(Sentences.hostForgotten(origin)) }
      return .done
    }
  }
}
