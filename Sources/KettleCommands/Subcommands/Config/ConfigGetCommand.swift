import ArgumentParser
import KettleConfiguration

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
