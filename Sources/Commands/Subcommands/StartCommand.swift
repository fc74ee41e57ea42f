import ArgumentParser
import ControlProtocol

/// `kettle start`
struct StartCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start transfers, or let them go on.",
    discussion: """
      A transfer that was paused or failed goes on from the bytes it has when they can still be \
      used, else it starts from the beginning; the answer says which. --all starts each that is \
      neither running nor completed.

      Examples:
        kettle start 3
        kettle start --all
      """)

  @OptionGroup var options: ControlOptions

  func run(in world: CommandWorld) async throws -> ExitCode {
    try await ControlRunner(
      verb: .start, selection: options.selection(for: "start"), world: world
    ).run()
  }
}
