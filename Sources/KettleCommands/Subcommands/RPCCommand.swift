import ArgumentParser
import FoundationEssentials
import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import KettleSystem

/// `kettle rpc`
struct RPCCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rpc",
    abstract: "Let programs that control aria2 control Kettle.",
    discussion: """
      Front ends such as AriaNg and browser extensions connect to a port of this machine. \
      "kettle rpc enable" opens it. Each request must present the secret.

      Examples:
        kettle rpc enable
        kettle rpc enable --port 6801 --allow-origin http://ariang.example.org
        kettle rpc status
      """,
    subcommands: [
      RPCEnableCommand.self, RPCDisableCommand.self, RPCStatusCommand.self, RPCSecretCommand.self,
    ])
}

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

/// `kettle rpc disable`
struct RPCDisableCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable",
    abstract: "Close the port.",
    discussion: "The secret is kept for the next time.")

  static var isForThisMachineOnly: Bool { true }

  func run(in context: CommandContext) async throws -> ExitCode {
    var configuration = try UserConfiguration.toChange(in: context)
    try configuration.set("rpc.enabled", to: ["false"])
    try configuration.write()
    try await ConfigReloadCommand.apply(changeOf: "rpc.enabled", in: context)
    try context.console.printLine(Sentences.rpcIsClosed)
    return .done
  }
}

/// `kettle rpc secret`
struct RPCSecretCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "secret",
    abstract: "Print the secret, or make a new one.",
    discussion: "With --new, clients that present the old one are no longer answered.")

  static var isForThisMachineOnly: Bool { true }

  @Flag(name: .customLong("new"), help: "Replace it.")
  var isNew = false

  func run(in context: CommandContext) async throws -> ExitCode {
    if isNew {
      let secret = try RPCSecretText.prepare(in: context, isNew: true)
      try await ConfigReloadCommand.apply(changeOf: "rpc.secret", in: context)
      try context.console.printLine(secret)
      return .done
    }
    guard let secret = RPCSecretText.read(in: context) else {
      context.console.printError(Sentences.noSecret)
      return .refused
    }
    try context.console.printLine(secret)
    return .done
  }
}

/// The secret of the RPC, in a file that only the user can read.
enum RPCSecretText {
  private static let byteCountMax = 1 << 20
  private static let digitCount = 32

  /// Returns the secret in the file. Makes a new one if there is none, or if `isNew`.
  static func prepare(in context: CommandContext, isNew: Bool = false) throws -> String {
    let paths = ServicePaths.of(environment: context.environment)
    if !isNew, let text = read(paths) { return text }
    let text = make()
    guard try paths.makeStateDirectory() else {
      throw ConfigurationError(
        .unwritable("its directory cannot be made"), path: paths.rpcSecretPath)
    }
    do throws(SystemError) {
      try FileReplacement.write(Array((text + "\n").utf8), to: paths.rpcSecretPath, mode: 0o600)
    } catch {
      throw ConfigurationError(.unwritable(error.message), path: paths.rpcSecretPath)
    }
    return text
  }

  static func read(in context: CommandContext) -> String? {
    read(ServicePaths.of(environment: context.environment))
  }

  private static func read(_ paths: ServicePaths) -> String? {
    let contents = FileContents.read(path: paths.rpcSecretPath, byteCountMax: byteCountMax)
    guard case .bytes(let bytes) = contents else { return nil }
    let text = String(decoding: bytes, as: UTF8.self).trimmingBlanks()
    return text.isEmpty ? nil : text
  }

  /// Letters and digits, because people copy it. Two look like others and are left out.
  private static func make() -> String {
    let letters = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    var random = SystemRandomNumberGenerator()
    return String((0..<digitCount).compactMap { _ in letters.randomElement(using: &random) })
  }
}
