import ArgumentParser
import ControlProtocol
import TransferClient
import TransferModel

/// `kettle daemon start`
struct DaemonStartCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start the service in the background and wait until it is ready.")

  func run(in world: CommandWorld) async throws -> ExitCode {
    try await world.withService(for: "kettle daemon start") { service in
      let status = try await service.call(ServiceStatus.self, .init())
      try world.console.say(Sentences.serviceRuns(status))
      return .done
    }
  }
}
