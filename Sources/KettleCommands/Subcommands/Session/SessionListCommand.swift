import ArgumentParser
import KettleClient
import KettleControl

/// `kettle session list`
struct SessionListCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the sessions of programs.",
    discussion: """
      Programs should use --json: an array of objects with id, processID (null while the program \
      is not connected), lastSeenAt, launch (null or executablePath, arguments and directory), \
      sendsLaunchEvents, counts, untoldCount and notice (null or code, at, detail and message).
      """)

  @Flag(help: "Print JSON.")
  var json = false

  func run(in world: CommandWorld) async throws -> ExitCode {
    try await world.withService(for: "kettle session list") { service in
      let sessions = try await service.call(ListSessions.self, .init()).sessions
      if json {
        var printer = try JSONArrayPrinter(on: world.console)
        try printer.print(sessions.map(\.json))
        try printer.end()
      } else if sessions.isEmpty {
        world.console.mention(Sentences.noSessions)
      } else {
        let table = SessionTableText(
          columnCount: world.console.columnCount(of: .output), clock: world.clock)
        try world.console.write(table.text(of: sessions), to: .output)
      }
      return .done
    }
  }
}
