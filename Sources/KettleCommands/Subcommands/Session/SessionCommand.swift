import ArgumentParser

/// `kettle session`
struct SessionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session",
    abstract: "Look at the sessions of programs, adopt or drop them.",
    discussion: """
      A program that fetches files through Kettle has a session of its own. The service launches \
      it when everything is done, and keeps the files until it has taken them. A session whose \
      program never comes back can be adopted or dropped.

      Examples:
        kettle session list
        kettle session adopt org.example.app
      """,
    subcommands: [
      SessionListCommand.self, SessionAdoptCommand.self, SessionDropCommand.self,
    ])
}
