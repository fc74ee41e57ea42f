import ArgumentParser

/// `kettle browser status`
struct BrowserStatusCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show which browsers can start Kettle.",
    discussion: "Exits with 1 if a manifest names a program that is not there.")

  static var isForThisMachineOnly: Bool { true }

  func run(in context: CommandContext) async throws -> ExitCode {
    let installation = BrowserInstallation(in: context)
    var code = ExitCode.done
    for browser in Browser.allCases {
      let state = installation.state(of: browser)
      if case .broken = state { code = .transferFailed }
      try context.console.printLine(Sentences.browserState(browser, state))
    }
    for browser in installation.confinedBrowsers {
      context.console.printNote(Sentences.browserIsConfined(browser))
    }
    return code
  }
}
