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

  func run(in context: CommandContext) async throws -> ExitCode {
    switch try await ServiceStopper(context: context, address: context.address).stop() {
    case .stopped:
      try context.console.printLine(Sentences.serviceStopped)
      return .done
    case .didNotRun:
      try context.console.printLine(Sentences.noServiceRuns)
      return .done
    case .stillRuns:
      context.console.printError(Sentences.serviceStillRuns)
      return .timedOut
    }
  }
}
