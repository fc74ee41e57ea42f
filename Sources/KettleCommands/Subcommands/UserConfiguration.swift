import FoundationEssentials
import Glibc
import KettleConfiguration
import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import KettleSystem

/// The configuration file of this process's user, for the commands that change it.
struct UserConfiguration {
  let path: String
  private(set) var editor: ConfigurationEditor
  /// Held until the file is written; nil for a command that only reads.
  private let lock: FileLock?

  /// How long another command may take to change the file.
  private static let lockBudget = Duration.seconds(5)

  /// Reads the file to change it: until the change is written, no other command can change it.
  /// Throws `ClientError.foreignHome` for root in the home of another user.
  static func toChange(in context: CommandContext) throws -> UserConfiguration {
    let paths = ServicePaths.of(environment: context.environment)
    guard try paths.makeStateDirectory() else { return try UserConfiguration(in: context) }
    let lock: FileLock
    do throws(SystemError) {
      lock = try FileLock(path: paths.configLockPath, budget: lockBudget)
    } catch {
      throw ConfigurationError(.locked, path: paths.configPath)
    }
    return try UserConfiguration(in: context, holding: lock)
  }

  /// Reads the file. A missing one is empty. Throws if it cannot be read, or is not TOML.
  init(in context: CommandContext, holding lock: FileLock? = nil) throws {
    self.lock = lock
    path = ServicePaths.of(environment: context.environment).configPath
    switch FileContents.read(path: path, byteCountMax: ConfigurationFile.byteCountMax) {
    case .bytes(let bytes): editor = try Self.editor(bytes, path: path)
    case .missing: editor = try Self.editor([], path: path)
    case .unreadable(let detail):
      throw ConfigurationError(ConfigurationProblem(.unreadable(detail)), path: path)
    }
  }

  private static func editor(_ bytes: [UInt8], path: String) throws -> ConfigurationEditor {
    do throws(ConfigurationProblem) {
      return try ConfigurationEditor(bytes)
    } catch {
      throw ConfigurationError(error, path: path)
    }
  }

  mutating func set(_ key: String, to words: [String]) throws {
    do throws(ConfigurationProblem) {
      try editor.set(key, toWords: words)
    } catch {
      throw ConfigurationError(.refused(error), path: path)
    }
  }

  /// Returns whether the key was set.
  mutating func remove(_ key: String) throws -> Bool {
    do throws(ConfigurationProblem) {
      return try editor.remove(key)
    } catch {
      throw ConfigurationError(error, path: path)
    }
  }

  /// Replaces the file. Makes its directory.
  func write() throws {
    let directory = URL(filePath: path).deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
      try FileReplacement.write(editor.bytes, to: path, mode: 0o666)
    } catch let error as SystemError {
      throw ConfigurationError(.unwritable(error.message), path: path)
    } catch {
      throw ConfigurationError(.unwritable("its directory cannot be made"), path: path)
    }
  }

  /// Makes a running service read the file. Returns its answer; nil if no service runs.
  static func reload(
    _ params: ReloadConfiguration.Params, in context: CommandContext
  ) async throws -> ReloadConfiguration.Result? {
    do {
      return try await context.withService(for: "kettle config", startIfNeeded: false) { service in
        try await service.call(ReloadConfiguration.self, params)
      }
    } catch let error as ClientError {
      if case .notAnswering = error { throw error }
      return nil
    }
  }
}

/// Why the configuration file cannot be used by a command.
struct ConfigurationError: Error {
  enum What {
    case problem(ConfigurationProblem)
    /// A key that is not set as the user wants.
    case refused(ConfigurationProblem)
    case unwritable(String)
    /// Another command is changing it.
    case locked
  }

  var what: What
  var path: String

  init(_ problem: ConfigurationProblem, path: String) { self.init(.problem(problem), path: path) }

  init(_ what: What, path: String) {
    self.what = what
    self.path = path
  }
}

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
      let file = path.absolutePath(home: home)
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
      return access(program.absolutePath(home: home), X_OK) == 0
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
}
