import ArgumentParser
import KettleControl
import KettleStarter

/// `kettle browser install`
struct BrowserInstallCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Let the extension in your browsers start Kettle.",
    discussion: """
      Writes a manifest for each browser into your home directory, and prints how to load the \
      extension. The packages of Kettle bring manifests for all users. Browsers from Snap or \
      Flatpak cannot see these files, or start programs outside of their sandbox.
      """)

  static var isForThisMachineOnly: Bool { true }

  @OptionGroup var options: BrowserOptions

  func run(in context: CommandContext) async throws -> ExitCode {
    try ServicePaths.of(environment: context.environment).checkWriter()
    let installation = BrowserInstallation(in: context)
    let browsers = options.browsers.isEmpty ? installation.presentBrowsers : options.browsers
    guard !browsers.isEmpty else {
      context.console.printError(Sentences.noBrowser)
      return .refused
    }
    for browser in browsers {
      let path = try installation.install(for: browser)
      try context.console.printLine(Sentences.browserInstalled(browser, path: path))
    }
    let directory = installation.extensionDirectory
    for line in Sentences.extensionInstructions(for: browsers, directory: directory) {
      try context.console.printLine(line)
    }
    for browser in installation.confinedBrowsers {
      context.console.printNote(Sentences.browserIsConfined(browser))
    }
    return .done
  }
}
