import ArgumentParser
import KettleClient
import KettleControl
import KettleModel

/// `kettle daemon start`
struct DaemonStartCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start the service in the background and wait until it is ready.")

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle daemon start") { service in
      let status = try await service.call(ServiceStatus.self, .init())
      let lines = [Sentences.serviceRuns(status)] + Sentences.notices(status)
      try context.console.write(lines.map { $0 + "\n" }.joined(), to: .output)
      return .done
    }
  }
}
