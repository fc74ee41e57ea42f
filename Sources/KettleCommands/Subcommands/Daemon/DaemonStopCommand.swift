import ArgumentParser
import KettleClient

/// `kettle daemon stop`
struct DaemonStopCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "Stop the service and wait until it has exited.",
    discussion: """
      Running transfers resume when the service starts again; the next command that needs the \
      service starts it.
      """)

  func run(in world: CommandWorld) async throws -> ExitCode {
    switch try await ServiceStopping(world: world, place: world.place).stop() {
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
