import ArgumentParser
import KettleClient
import KettleControl
import KettleModel

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
