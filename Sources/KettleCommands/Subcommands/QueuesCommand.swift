import ArgumentParser
import KettleControl
import KettleModel
import KettleSocket

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

/// `kettle queues list`, which is `kettle queues`
struct QueuesListCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List your queues, with their limits, hours and transfers.",
    discussion: """
      Programs should use --json: an array of objects with name, transfersMax, hours, isOpen, \
      until (when isOpen changes), waitsFor (mainsPower or unmeteredNetwork), runningCount and \
      queuedCount. Unknown values are null.
      """)

  @Flag(help: "Print JSON.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle queues") { service in
      let queues = try await service.call(ListQueues.self, .init()).queues
      if json {
        var printer = try JSONArrayPrinter(on: context.console)
        try printer.print(queues.map(\.json))
        try printer.end()
      } else {
        for queue in queues { try context.console.printLine(Sentences.of(queue, context.clock)) }
      }
      return .done
    }
  }
}

/// `kettle queues move`
struct QueuesMoveCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Move transfers to another queue.",
    discussion: """
      A running transfer continues if the other queue is within its hours, and otherwise waits \
      there with its bytes kept.

      Examples:
        kettle queues move night 3 4
        kettle queues move default 3
      """)

  static var repeatedType: (any ExpressibleByArgument.Type)? { TransferID.self }

  @Argument(
    help: ArgumentHelp("The queue to move them to.", valueName: "queue"),
    completion: .asking(.queues))
  var queue: String

  @Argument(
    help: ArgumentHelp("The id of a transfer, as shown by \"kettle list\".", valueName: "id"),
    completion: .asking(.transfers))
  var idRuns: [ValueRun<TransferID>]

  private var ids: [TransferID] { idRuns.flatMap(\.values) }

  func run(in context: CommandContext) async throws -> ExitCode {
    let name = try QueueName(argument: queue)
    return try await context.withService(for: "kettle queues move") { service in
      let result = try await service.call(
        AssignTransfers.self, .init(selection: .ids(ids), queue: name))
      for id in result.applied { try context.console.printLine(Sentences.assigned(id, to: name)) }
      for refusal in result.refused { context.console.printError(Sentences.of(refusal)) }
      return ControlRunner.exitCode(of: result)
    }
  }
}

extension QueueName {
  /// Throws a usage error for a text that is not the name of a queue.
  init(argument text: String) throws(UsageError) {
    guard let name = QueueName(text) else { throw UsageError(.value(.queue(text))) }
    self = name
  }
}
