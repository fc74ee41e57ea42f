import ArgumentParser

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
