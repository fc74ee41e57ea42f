import ArgumentParser
import KettleClient

/// `kettle daemon stop`
struct DaemonStopCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "Stop the service and wait until it has ended.",
    discussion: """
      What is under way goes on when the service is started again, which the next command that \
      needs it does.
      """)

  func run(in world: CommandContext) async throws -> ExitCode {
    switch try await ServiceStopper(world: world, place: world.place).stop() {
    case .stopped:
      try world.console.say(Sentences.serviceStopped)
      return .done
    case .didNotRun:
      try world.console.say(Sentences.noServiceRuns)
      return .done
    case .stillRuns:
      world.console.complain(Sentences.serviceStillRuns)
      return .timedOut
    }
  }
}
