import ArgumentParser
import KettleClient
import KettleControl
import KettleModel

/// `kettle why`
struct WhyCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Say why a transfer does not move, and until when.",
    discussion: """
      Prints what holds the transfer back, since when, until when, when it is expected to be \
      complete, how its hooks ended, and what you can do. Times are estimates where they depend on other transfers.

      Examples:
        kettle why 3
        kettle why 3 --json | jq -r '.heldBackBy, .until'
      """)

  @Argument(
    help: ArgumentHelp("The id of a transfer, as shown by \"kettle list\".", valueName: "id"),
    completion: .asking(.transfers))
  var id: TransferID

  @Flag(help: "Print the transfer as \"kettle list --json\" prints one.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle why") { service in
      let details: TransferDetails
      do {
        details = try await service.call(DescribeTransfer.self, .init(id: id))
      } catch let error as ControlError where error.code == .unknownTransfer {
        throw UnknownTransfers(ids: [id])
      }
      if json {
        try context.console.printLine(details.snapshot.json.text)
      } else {
        let lines = Sentences.why(
          details.snapshot, rule: details.rule, hooks: details.hooks ?? [], clock: context.clock)
        try context.console.write(lines.map { $0 + "\n" }.joined(), to: .output)
      }
      return .done
    }
  }
}
