import ArgumentParser
import KettleClient
import KettleControl
import KettleStarter

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
