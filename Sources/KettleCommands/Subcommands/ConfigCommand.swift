import ArgumentParser
import KettleConfiguration
import KettleControl
import KettleDashboard
import KettleModel
import KettleSocket
import KettleStarter
import KettleSystem

/// `kettle config`
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show, check and change the configuration file.",
    discussion: """
      The file can also be edited by hand; "kettle config reload" applies it. Comments are kept.

      Examples:
        kettle config set limits.rate 2M
        kettle config set proxy.no-proxy localhost .example.org
        kettle config set --default limits.rate
        kettle config check
      """,
    subcommands: [
      ConfigPathCommand.self, ConfigCheckCommand.self, ConfigGetCommand.self,
      ConfigSetCommand.self, ConfigReloadCommand.self,
    ])
}

/// `kettle config get`
struct ConfigGetCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print the value of a key as it is in the file.",
    discussion: "Exits with 2 if the file does not set it.")

  static var isForThisMachineOnly: Bool { true }

  @Argument(
    help: ArgumentHelp("For example limits.rate.", valueName: "key"),
    completion: .asking(.configurationKeys))
  var key: String

  func run(in context: CommandContext) async throws -> ExitCode {
    let configuration = try UserConfiguration(in: context)
    guard let value = configuration.editor.value(of: key) else {
      context.console.printError(Sentences.notConfigured(key, path: configuration.path))
      return .refused
    }
    try context.console.printLine(value)
    return .done
  }
}

/// `kettle config set`
struct ConfigSetCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Change a key in the file, and apply it.",
    discussion: """
      A text needs no quotes, and several values become an array. A value that the key does not \
      accept changes nothing. Words that begin with a hyphen stand behind --.

      Examples:
        kettle config set limits.rate 2M
        kettle config set hooks.completed -- sh -c 'cp "$KETTLE_PATH" /srv'
        kettle config set --default limits.rate
      """)

  static var isForThisMachineOnly: Bool { true }

  @Argument(
    help: ArgumentHelp("For example limits.rate.", valueName: "key"),
    completion: .asking(.configurationKeys))
  var key: String

  @Argument(
    help: ArgumentHelp("The value; several become an array.", valueName: "value"),
    completion: .asking(.configurationValues))
  var values: [String] = []

  @Flag(name: .customLong("default"), help: "Remove the key, so that its default applies.")
  var usesDefault = false

  func validate() throws {
    guard usesDefault != values.isEmpty else { return }
    throw ValidationError(
      usesDefault ? "Give a value or --default, not both" : "Give a value, or --default")
  }

  func run(in context: CommandContext) async throws -> ExitCode {
    var configuration = try UserConfiguration.toChange(in: context)
    if usesDefault {
      guard try configuration.remove(key) else {
        context.console.printError(Sentences.notConfigured(key, path: configuration.path))
        return .refused
      }
    } else {
      try configuration.set(key, to: values)
    }
    try configuration.write()
    try await ConfigReloadCommand.apply(changeOf: key, in: context)
    return .done
  }
}

/// `kettle config check`
struct ConfigCheckCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Name the settings in the file that have no effect.",
    discussion: """
      Also names programs of hooks, files with headers and directories that are not there or \
      cannot be used. Exits with 0 if nothing is wrong, and with 2 otherwise.
      """)

  static var isForThisMachineOnly: Bool { true }

  func run(in context: CommandContext) async throws -> ExitCode {
    let path = ServicePaths.of(environment: context.environment).configPath
    let file = ConfigurationFile(
      path: path,
      contents: FileContents.read(path: path, byteCountMax: ConfigurationFile.byteCountMax))
    if file.isMissing {
      try context.console.printLine(Sentences.noConfiguration(path))
      return .done
    }
    let (configuration, problems) = file.readForService()
    var notices = file.notices(problems, for: .service)
    // Of a file that is not understood, one sentence says enough.
    if !problems.contains(where: \.hidesTheFile) {
      notices += DashboardSettings.ofUser(environment: context.environment).problems
      notices += ConfiguredPaths(configuration: configuration, context: context).problems()
    }
    guard !notices.isEmpty else {
      try context.console.printLine(Sentences.configurationIsGood(path))
      return .done
    }
    var told: Set<String> = []
    for notice in notices where told.insert(notice).inserted {
      context.console.printError(notice)
    }
    return .refused
  }
}

/// `kettle config reload`
struct ConfigReloadCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Make the running service read the file again.",
    discussion: """
      SIGHUP does the same. What cannot change while the service runs is named; it applies after \
      "kettle daemon stop". If the file cannot be read, or one of its values is wrong, the \
      settings in use stay in effect.

      A service that cannot read the file when it starts sends nothing, because the file may \
      forbid it. With --without-file it goes on with the defaults until it is started again.
      """)

  @Flag(help: "Let transfers start with the defaults although the file cannot be read.")
  var withoutFile = false

  static var isForThisMachineOnly: Bool { true }

  func run(in context: CommandContext) async throws -> ExitCode {
    let params = ReloadConfiguration.Params(withoutFile: withoutFile ? true : nil)
    guard let result = try await UserConfiguration.reload(params, in: context) else {
      context.console.printError(Sentences.noServiceRuns)
      return .serviceUnreachable
    }
    Self.report(result, in: context)
    return result.notices.isEmpty || withoutFile ? .done : .refused
  }

  /// Applies a change of one key of the file, if a service runs.
  static func apply(changeOf key: String, in context: CommandContext) async throws {
    if let result = try await result(ofChanging: key, in: context) { report(result, in: context) }
  }

  /// Makes a running service read the file. Returns its answer; nil if no service runs.
  static func result(
    ofChanging key: String, in context: CommandContext
  ) async throws -> ReloadConfiguration.Result? {
    var result = try await UserConfiguration.reload(.init(), in: context)
    // Earlier changes of other tables are not what the user asks about.
    result?.pending.removeAll { !key.hasPrefix($0 + ".") }
    return result
  }

  private static func report(_ result: ReloadConfiguration.Result, in context: CommandContext) {
    for notice in result.notices {
      context.console.printError(notice.sanitizedForDisplay(limit: 1000))
    }
    for table in result.pending { context.console.printNote(Sentences.appliesLater(table)) }
  }
}

/// `kettle config path`
struct ConfigPathCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "path", abstract: "Print where the configuration file is.")

  static var isForThisMachineOnly: Bool { true }

  func run(in context: CommandContext) async throws -> ExitCode {
    try context.console.printLine(ServicePaths.of(environment: context.environment).configPath)
    return .done
  }
}
