import ArgumentParser

/// `kettle bin`
struct BinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bin",
    abstract: "Show what can be undone, or delete it.",
    discussion: """
      What stop, remove and reset discard is kept for ten minutes, or until the disk is full. \
      "kettle undo" brings it back.

      Examples:
        kettle bin
        kettle bin --json
        kettle bin empty
      """,
    subcommands: [BinListCommand.self, BinEmptyCommand.self],
    defaultSubcommand: BinListCommand.self)
}
