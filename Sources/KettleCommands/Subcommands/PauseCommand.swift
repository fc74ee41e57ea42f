import ArgumentParser
import KettleControl

/// `kettle pause`
struct PauseCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Pause transfers; what they have is kept.",
    discussion: """
      A paused transfer goes on where it was with "kettle start". --all pauses each that is \
      unfinished.

      Examples:
        kettle pause 3 4
        kettle pause --all
      """)

  @OptionGroup var options: ControlOptions

  func run(in world: CommandContext) async throws -> ExitCode {
    try await ControlRunner(
      verb: .pause, selection: options.selection(for: "pause"), world: world
    ).run()
  }
}
