import ArgumentParser
import KettleControl
import KettleModel

/// `kettle stop`
struct StopCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "Stop transfers and move their bytes to the bin.",
    discussion: """
      A stopped transfer stays in the list and starts from the beginning with "kettle start"; \
      "kettle pause" keeps the bytes. For ten minutes, "kettle undo" brings them back. --all stops \
      every unfinished transfer.

      Examples:
        kettle stop 3
        kettle stop --all
      """)

  static var repeatedType: (any ExpressibleByArgument.Type)? { TransferID.self }

  @OptionGroup var options: ControlOptions

  func run(in context: CommandContext) async throws -> ExitCode {
    try await ControlRunner(
      verb: .stop, selection: options.selection(for: "stop"), context: context
    ).run()
  }
}
