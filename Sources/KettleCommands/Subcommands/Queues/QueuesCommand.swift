import ArgumentParser

/// `kettle queues`
struct QueuesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queues",
    abstract: "Show your queues, or move transfers between them.",
    discussion: """
      A queue has a limit of its own for how many of its transfers run at once, and hours in \
      which they may run. Outside its hours its transfers wait with their bytes kept. Every \
      transfer is in the queue "default" unless --queue or a rule says otherwise. The \
      configuration file has the settings; "kettle config set" changes them.

      Examples:
        kettle queues
        kettle queues move night 3 4
        kettle config set queues.night.hours 01:00-06:00
        kettle config set queues.night.transfers 2
        kettle add --queue night https://example.org/disk.iso
        kettle pause --queue night
      """,
    subcommands: [QueuesListCommand.self, QueuesMoveCommand.self],
    defaultSubcommand: QueuesListCommand.self)
}
