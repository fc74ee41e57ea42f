import ArgumentParser

/// `kettle browser`
struct BrowserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "browser",
    abstract: "Let browsers hand their downloads over to Kettle.",
    discussion: """
      The extension takes over downloads above a size or of a kind, with their cookies, and shows \
      what is running. It starts "kettle-native-host", which is this program, and browsers start \
      only programs that a manifest names.

      Examples:
        kettle browser install
        kettle browser install --browser firefox
        kettle browser status
      """,
    subcommands: [
      BrowserInstallCommand.self, BrowserUninstallCommand.self, BrowserStatusCommand.self,
      BrowserManifestCommand.self,
    ])
}

extension Browser: ExpressibleByArgument {}

/// Which browsers a command is for.
struct BrowserOptions: ParsableArguments {
  @Option(
    name: .customLong("browser"),
    help: ArgumentHelp(
      "firefox, chromium or chrome; can be repeated. Default: all that you have used.",
      valueName: "browser"))
  var browsers: [Browser] = []
}
