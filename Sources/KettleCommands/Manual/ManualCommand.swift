import ArgumentParser
import FoundationEssentials
import KettleModel
import KettleSystem

/// `kettle manual`: writes the manual pages that have the text of `--help`.
struct ManualCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Write the manual pages into a directory.",
    shouldDisplay: false)

  static let isForThisMachineOnly = true

  @Argument(
    help: ArgumentHelp("The directory, created if missing.", valueName: "dir"),
    completion: .directory)
  var directory: String

  func run(in context: CommandContext) async throws -> ExitCode {
    let date = String(Self.date(in: context).iso8601.prefix(10))
    let pages = try CommandPages(date: date).all + [ConfigurationPage.page(date: date)]
    let parent = try context.currentDirectory.absolute(directory)
    do {
      try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
      for page in pages {
        try FileReplacement.write(
          Array(page.text.utf8), to: parent + "/" + page.fileName, mode: 0o644)
      }
    } catch {
      context.console.printError(Sentences.manualUnwritable(directory))
      return .transferFailed
    }
    return .done
  }

  /// Builds that give the same bytes set the time of their sources in this variable
  /// (reproducible-builds.org, SOURCE_DATE_EPOCH).
  private static func date(in context: CommandContext) -> WallTime {
    guard let text = context.environment["SOURCE_DATE_EPOCH"], let seconds = Int64(text),
      (0...253_402_300_799).contains(seconds)
    else { return context.clock.now().wall }
    return WallTime(millisecondsSince1970: seconds * 1000)
  }
}

extension Sentences {
  static func manualUnwritable(_ directory: String) -> String {
    "The manual pages could not be written into \(quoted(directory)); name another directory"
  }
}
