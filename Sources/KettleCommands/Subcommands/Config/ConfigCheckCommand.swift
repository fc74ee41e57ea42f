import ArgumentParser
import KettleClient
import KettleConfiguration
import KettleControl
import KettleModel
import KettleStarter
import KettleSystem

/// `kettle config check`
struct ConfigCheckCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Name the settings in the file that have no effect.",
    discussion: "Exits with 0 if there are none, and with 2 otherwise.")

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
    let notices = file.serviceConfiguration().notices + file.dashboardConfiguration().notices
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
