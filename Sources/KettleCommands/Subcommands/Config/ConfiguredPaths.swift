import Glibc
import KettleConfiguration
import KettleControl
import KettleModel
import KettleStarter
import KettleSystem

/// Compares what the configuration file names with what is on the disk of this machine.
struct ConfiguredPaths {
  let configuration: ServiceConfiguration
  let context: CommandContext

  /// One sentence for each program, file and directory that is not there or cannot be used.
  func problems() -> [String] {
    let paths = ServicePaths.of(environment: context.environment)
    let home = paths.homeDirectory
    var problems: [String] = []
    let hooks = configuration.hooks.commands.sorted { $0.key.rawValue < $1.key.rawValue }
    for (event, command) in hooks where !isProgram(command.program, home: home) {
      problems.append(
        Sentences.missingProgram(command.program, key: "hooks.\(event.rawValue)"))
    }
    for (host, path) in configuration.hosts.headersFiles.sorted(by: { $0.key < $1.key }) {
      let file = Self.absolute(path, home: home)
      if let detail = Self.problem(ofPrivateFile: file) {
        problems.append(Sentences.unusableHeaders(file, host: host, detail))
      }
    }
    for directory in configuration.rpc.directories(home: home) where !Self.isDirectory(directory) {
      problems.append(Sentences.missingDirectory(directory, key: "rpc.directories"))
    }
    let downloads = configuration.downloadsDirectory(home: home) ?? paths.documentsDirectory
    for rule in configuration.rules(home: home) {
      // A directory below the downloads directory is made when it is needed.
      guard let directory = rule.effects.directory, directory.hasPrefix("/"),
        !directory.hasPrefix(downloads + "/"), !Self.isDirectory(directory)
      else { continue }
      problems.append(
        Sentences.missingDirectory(directory, key: "rules.\(rule.number).directory"))
    }
    if configuration.rpc.isEnabled, RPCSecretText.read(in: context) == nil {
      problems.append(Sentences.rpcWithoutSecret)
    }
    return problems
  }

  /// Whether the service could start it. A name is looked up as for this command.
  private func isProgram(_ program: String, home: String) -> Bool {
    if program.contains("/") {
      return access(Self.absolute(program, home: home), X_OK) == 0
    }
    return (context.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").contains {
      access("\($0)/\(program)", X_OK) == 0
    }
  }

  private static func problem(ofPrivateFile path: String) -> String? {
    switch FileContents.readPrivate(path: path, byteCountMax: 1 << 20) {
    case .bytes: nil
    case .missing: SystemError(ENOENT).message
    case .unreadable(let detail): detail
    }
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func absolute(_ path: String, home: String) -> String {
    path.hasPrefix("~") ? home + path.dropFirst() : path
  }
}
