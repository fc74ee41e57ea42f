import ArgumentParser

/// `kettle hosts`
struct HostsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hosts",
    abstract: "Show what the service knows about hosts, or forget it.",
    discussion: """
      A host that refuses connections gets fewer of them; the limit rises again by one with every \
      30 seconds without a refusal. A host that cannot be reached is tried by one transfer at a \
      time, and all its transfers continue when it responds.

      Examples:
        kettle hosts
        kettle hosts --json
        kettle hosts reset files.example.org
        kettle hosts forget nas.local
      """,
    subcommands: [HostsListCommand.self, HostsResetCommand.self, HostsForgetCommand.self],
    defaultSubcommand: HostsListCommand.self)
}
