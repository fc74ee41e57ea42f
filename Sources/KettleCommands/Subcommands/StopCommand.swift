import ArgumentParser
import KettleControl

/// `kettle stop`
struct StopCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "Stop transfers and throw away what they have so far.",
    discussion: """
      A stopped transfer stays in the list and starts from the beginning with "kettle start"; \
      "kettle pause" keeps the bytes. --all stops each that is unfinished.

      Examples:
        kettle stop 3
        kettle stop --all
      """)

  @OptionGroup var options: ControlOptions

  func run(in world: CommandContext) async throws -> ExitCode {
    try await ControlRunner(
      verb: .stop, selection: options.selection(for: "stop"), world: world
    ).run()
  }
}
