import ArgumentParser
import KettleControl
import KettleModel

/// `kettle config reload`
struct ConfigReloadCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Make the running service read the file again.",
    discussion: """
      SIGHUP does the same. What cannot change while the service runs is named; it applies after \
      "kettle daemon stop".
      """)

  static var isForThisMachineOnly: Bool { true }

  func run(in context: CommandContext) async throws -> ExitCode {
    guard let result = try await UserConfiguration.reload(in: context) else {
      context.console.printError(Sentences.noServiceRuns)
      return .serviceUnreachable
    }
    Self.report(result, in: context)
    return result.notices.isEmpty ? .done : .refused
  }

  /// Applies a change of the file, if a service runs.
  static func apply(in context: CommandContext) async throws {
    if let result = try await UserConfiguration.reload(in: context) { report(result, in: context) }
  }

  private static func report(_ result: ReloadConfiguration.Result, in context: CommandContext) {
    for notice in result.notices {
      context.console.printError(notice.sanitizedForDisplay(limit: 1000))
    }
    for table in result.pending { context.console.printNote(Sentences.appliesLater(table)) }
  }
}
