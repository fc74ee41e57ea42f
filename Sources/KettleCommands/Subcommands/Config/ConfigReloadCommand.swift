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
      "kettle daemon stop". If the file cannot be read, or one of its values is wrong, the \
      settings in use stay.

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
    guard var result = try await UserConfiguration.reload(.init(), in: context) else { return }
    // Earlier changes of other tables are not what the user asks about.
    result.pending.removeAll { !key.hasPrefix($0 + ".") }
    report(result, in: context)
  }

  private static func report(_ result: ReloadConfiguration.Result, in context: CommandContext) {
    for notice in result.notices {
      context.console.printError(notice.sanitizedForDisplay(limit: 1000))
    }
    for table in result.pending { context.console.printNote(Sentences.appliesLater(table)) }
  }
}
