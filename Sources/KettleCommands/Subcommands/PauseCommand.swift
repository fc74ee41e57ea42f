import ArgumentParser
import KettleControl
import KettleModel

/// `kettle pause`
struct PauseCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Pause transfers and keep the downloaded bytes.",
    discussion: """
      A paused transfer resumes with "kettle start". --all pauses every unfinished transfer.

      Examples:
        kettle pause 3 4
        kettle pause --all
      """)

  static var repeatedType: (any ExpressibleByArgument.Type)? { TransferID.self }

  @OptionGroup var options: ControlOptions

  func run(in context: CommandContext) async throws -> ExitCode {
    try await ControlRunner(
      verb: .pause, selection: options.selection(for: "pause"), context: context
    ).run()
  }
}
