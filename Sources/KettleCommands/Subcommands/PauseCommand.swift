import ArgumentParser
import KettleControl

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

  @OptionGroup var options: ControlOptions

  func run(in context: CommandContext) async throws -> ExitCode {
    try await ControlRunner(
      verb: .pause, selection: options.selection(for: "pause"), context: context
    ).run()
  }
}
