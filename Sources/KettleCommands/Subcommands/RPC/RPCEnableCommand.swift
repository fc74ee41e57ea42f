import ArgumentParser
import KettleClient
import KettleControl

/// `kettle rpc enable`
struct RPCEnableCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable",
    abstract: "Open the port, and print what to enter in a front end.",
    discussion: """
      The port is open on this machine only (127.0.0.1 and ::1). The choice is stored in the \
      configuration file. Clients may store files in the downloads directory and in those of \
      rpc.directories.
      """)

  static var isForThisMachineOnly: Bool { true }

  @Option(help: ArgumentHelp("The port; default: 6800, as aria2.", valueName: "port"))
  var port: Int?

  @Option(
    name: .customLong("allow-origin"),
    help: ArgumentHelp(
      """
      A page that may use it, such as http://ariang.example.org; can be repeated. Pages of this \
      machine and extensions of browsers always may.
      """, valueName: "origin"))
  var origins: [String] = []

  func run(in context: CommandContext) async throws -> ExitCode {
    var configuration = try UserConfiguration.toChange(in: context)
    try configuration.set("rpc.enabled", to: ["true"])
    if let port { try configuration.set("rpc.port", to: [String(port)]) }
    if !origins.isEmpty { try configuration.set("rpc.allow-origin", to: origins) }
    let secret = try RPCSecretText.prepare(in: context)
    try configuration.write()
    return try await context.withService(for: "kettle rpc enable") { service in
      _ = try await service.call(ReloadConfiguration.self, .init())
      let status = try await service.call(DescribeRPC.self, .init())
      guard let port = status.port else {
        context.console.printError(Sentences.rpcProblem(status))
        return .transferFailed
      }
      for line in Sentences.rpcInstructions(port: port, secret: secret) {
        try context.console.printLine(line)
      }
      return .done
    }
  }
}
