import ArgumentParser
import KettleControl
import KettleModel
import KettleSocket

/// `kettle session`
struct SessionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session",
    abstract: "List, adopt or drop the sessions of programs.",
    discussion: """
      A program that downloads files through Kettle has its own session. The service launches \
      the program when everything is done, and keeps the files until the program has collected \
      them. If the program never returns, its session can be adopted or dropped.

      Examples:
        kettle session list
        kettle session adopt org.example.app
      """,
    subcommands: [
      SessionListCommand.self, SessionAdoptCommand.self, SessionDropCommand.self,
    ])
}

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
