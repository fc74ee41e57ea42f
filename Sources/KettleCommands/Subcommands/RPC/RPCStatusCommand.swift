import ArgumentParser
import KettleClient
import KettleControl

/// `kettle rpc status`
struct RPCStatusCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show whether the port is open, and who may use it.",
    discussion: """
      Does not start the service. Exits with 3 if it is not running.

      With --json, prints an object with port, problem, directories and allowedOrigins.
      """)

  @Flag(help: "Print JSON.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle rpc status", startIfNeeded: false) { service in
      let status = try await service.call(DescribeRPC.self, .init())
      if json {
        try context.console.printLine(status.json.text)
      } else {
        for line in Sentences.rpcStatus(status) { try context.console.printLine(line) }
      }
      return .done
    }
  }
}

extension DescribeRPC.Result {
  fileprivate var json: JSONValue {
    .object([
      .init("port", .integer(orNull: port.map(Int64.init))),
      .init("problem", .string(orNull: problem)),
      .init("directories", .array(directories.map(JSONValue.string))),
      .init("allowedOrigins", .array(allowedOrigins.map(JSONValue.string))),
    ])
  }
}
