import ArgumentParser
import KettleClient
import KettleControl
import KettleModel

/// `kettle daemon status`
struct DaemonStatusCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show whether the service is running, and its status.",
    discussion: """
      Does not start the service. Exits with 0 if it is running and with 3 if it is not.
      """)

  @Flag(help: "Print JSON.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle daemon status", startIfNeeded: false) { service in
      let status = try await service.call(ServiceStatus.self, .init())
      let notices =
        try await [Sentences.otherVersion(status)].compactMap(\.self)
        + Self.launchNotices(service) + Self.rpcNotices(service)
      let socketPath =
        status.places?.socketPath ?? context.services.socketPath(of: context.address)
      if json {
        try context.console.printLine(status.json(notices: notices, socketPath: socketPath).text)
      } else {
        let lines = Sentences.status(
          status, notices: notices, socketPath: socketPath, clock: context.clock)
        try context.console.write(lines.map { $0 + "\n" }.joined(), to: .output)
      }
      return .done
    }
  }

  /// Why the RPC is closed although it is enabled.
  private static func rpcNotices(_ service: any ServiceCalling) async throws -> [String] {
    do {
      let status = try await service.call(DescribeRPC.self, .init())
      return status.problem == nil ? [] : [Sentences.rpcProblem(status)]
    } catch let error as ControlError where error.code == .methodNotFound {
      return []
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
