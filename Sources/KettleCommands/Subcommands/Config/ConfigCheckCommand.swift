import ArgumentParser
import KettleClient
import KettleConfiguration
import KettleControl
import KettleDashboard
import KettleModel
import KettleStarter
import KettleSystem

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
