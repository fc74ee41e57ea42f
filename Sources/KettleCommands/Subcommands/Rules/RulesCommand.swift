import ArgumentParser

/// `kettle rules`
struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Show the rules of the configuration file, or which one applies to a URL.",
    discussion: """
      A rule sets the directory, title, limit, priority, number of connections or queue of the \
      downloads that it matches by host, extension, MIME type or name. The first rule that \
      matches counts, and what you choose for a download comes before it. The rules are [[rules]] \
      in the configuration file; kettle-config(5) describes their keys.

      Examples:
        kettle rules
        kettle rules test https://example.org/disk.iso
        kettle rules test --type video/mp4 https://example.org/watch
      """,
    subcommands: [RulesListCommand.self, RulesTestCommand.self],
    defaultSubcommand: RulesListCommand.self)
}
