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
      sendsLaunchEvents, counts, unreportedCount and notice (null or code, at, detail and message).
      """)

  @Flag(help: "Print JSON.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle session list") { service in
      let sessions = try await service.call(ListSessions.self, .init()).sessions
      if json {
        var printer = try JSONArrayPrinter(on: context.console)
        try printer.print(sessions.map(\.json))
        try printer.end()
      } else if sessions.isEmpty {
        context.console.printNote(Sentences.noSessions)
      } else {
        let table = SessionTableText(
          columnCount: context.console.columnCount(of: .output), clock: context.clock)
        try context.console.write(table.text(of: sessions), to: .output)
      }
      return .done
    }
  }
}
