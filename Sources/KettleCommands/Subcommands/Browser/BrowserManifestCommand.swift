import ArgumentParser

/// `kettle browser manifest`: prints the manifests of packages.
struct BrowserManifestCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manifest", abstract: "Print the manifest for a browser.",
    shouldDisplay: false)

  static var isForThisMachineOnly: Bool { true }

  @Argument(help: ArgumentHelp("firefox, chromium or chrome.", valueName: "browser"))
  var browser: Browser

  @Argument(help: ArgumentHelp("The absolute path of kettle-native-host.", valueName: "path"))
  var path: String

  func run(in context: CommandContext) async throws -> ExitCode {
    try context.console.write(
      HostManifest(browser: browser, programPath: path).text, to: .output)
    return .done
  }
}
