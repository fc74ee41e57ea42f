import ArgumentParser
import KettleClient
import KettleControl
import KettleModel

/// `kettle daemon status`
struct DaemonStatusCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Say whether the service runs, and what it does.",
    discussion: """
      Starts nothing. Ends with 0 when the service runs, and with 3 when it does not.
      """)

  @Flag(help: "Print JSON.")
  var json = false

  func run(in world: CommandContext) async throws -> ExitCode {
    try await world.withService(for: "kettle daemon status", startIfNeeded: false) { service in
      let status = try await service.call(ServiceStatus.self, .init())
      let launches = try await Self.launchNotices(service)
      let socketPath = world.services.socketPath(of: world.place)
      if json {
        try world.console.say(status.json(launches: launches, socketPath: socketPath).text)
      } else {
        let lines = Sentences.status(
          status, launches: launches, socketPath: socketPath, clock: world.clock)
        try world.console.write(lines.map { $0 + "\n" }.joined(), to: .output)
      }
      return .done
    }
  }

  private static func launchNotices(_ service: any ServiceCalling) async throws -> [String] {
    do {
      let sessions = try await service.call(ListSessions.self, .init()).sessions
      return sessions.compactMap(Sentences.launchNotice)
    } catch let error as ControlError where error.code == .methodNotFound {
      // An older service, which launches no programs.
      return []
    }
  }
}
