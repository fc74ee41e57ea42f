import ArgumentParser
import KettleClient
import KettleControl

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
