import ArgumentParser

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
