import ArgumentParser
import KettleControl
import KettleModel
import KettleSocket
import KettleStarter

/// `kettle browser`
struct BrowserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "browser",
    abstract: "Let browsers hand their downloads over to Kettle.",
    discussion: """
      The extension takes over large downloads and certain types of files, with their cookies, and \
      shows what is running. It starts "kettle-native-host", which is this program, and browsers \
      start only programs that a manifest names.

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

/// `kettle browser uninstall`
struct BrowserUninstallCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uninstall",
    abstract: "Undo \"kettle browser install\".",
    discussion: """
      Removes the manifests from your home directory. Those of a package, which are for all users, \
      stay. Remove the extension in the browser itself.
      """)

  static var isForThisMachineOnly: Bool { true }

  @OptionGroup var options: BrowserOptions

  func run(in context: CommandContext) async throws -> ExitCode {
    let installation = BrowserInstallation(in: context)
    let browsers = options.browsers.isEmpty ? Browser.allCases : options.browsers
    for browser in browsers {
      let wasThere = try installation.uninstall(for: browser)
      if wasThere || !options.browsers.isEmpty {
        try context.console.printLine(Sentences.browserUninstalled(browser, wasThere: wasThere))
      }
    }
    installation.removeUnusedLink()
    return .done
  }
}

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

/// `kettle native-host`: the same as the program `kettle-native-host`.
struct NativeHostCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "native-host", abstract: "Answer the extension of a browser.",
    shouldDisplay: false)

  static var isForThisMachineOnly: Bool { true }

  /// Chromium passes the origin of the extension, Firefox the path of the manifest and the id of
  /// the extension. Browsers start the host only for extensions that the manifest names.
  @Argument(parsing: .captureForPassthrough)
  var words: [String] = []

  func run(in context: CommandContext) async throws -> ExitCode {
    try await NativeHost(context: context).run()
  }
}

/// `kettle open-link`: what the desktop runs for a link `kettle://add?url=…`.
struct OpenLinkCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open-link", abstract: "Queue the download of a link kettle://, paused.",
    shouldDisplay: false)

  static var isForThisMachineOnly: Bool { true }

  private static let client: ClientIdentity = "kettle open-link"

  @Argument(help: ArgumentHelp("kettle://add?url=URL", valueName: "link"))
  var link: String

  /// A terminal that the desktop opened for the command closes when it ends, so the user is asked
  /// to end it, also after an error.
  func run(in context: CommandContext) async throws -> ExitCode {
    guard Self.hasTerminal(context) else { return try await open(in: context) }
    let code: ExitCode
    do {
      code = try await open(in: context)
    } catch {
      let (sentences, failed) = Sentences.report(of: error)
      for sentence in sentences { context.console.printError(sentence) }
      code = failed
    }
    _ = try? context.console.prompt(Sentences.enterCloses)
    return code
  }

  private static func hasTerminal(_ context: CommandContext) -> Bool {
    context.console.isInputTerminal && context.console.isTerminal(.output)
  }

  /// Nothing starts without an answer: any web page can contain such a link.
  private func open(in context: CommandContext) async throws -> ExitCode {
    let link = try KettleLink(link)
    return try await context.withService(for: Self.client) { service in
      let url = link.source.url.text
      let listed = try await service.call(FindURLs.self, .init(urls: [url])).found
      if let known = listed.first {
        try context.console.printLine(Sentences.linkIsListed(url, as: known))
        return .done
      }
      let adder = TransferAdder(
        service: service, reconnect: context.reconnection(for: Self.client))
      guard let id = try await adder.add([link.spec]).first else {
        throw ControlError(.internalError, AddTransfers.name)
      }
      try context.console.printLine(Sentences.linkIsPaused(link, as: id))
      guard try asksToStart(in: context) else {
        try context.console.printLine(Sentences.howToStart(id))
        return .done
      }
      let result = try await service.call(
        ControlTransfers.self, .init(control: .start, selection: .ids([id])))
      if let refusal = result.refused.first { throw RefusedControl(refusal: refusal) }
      try context.console.printLine(Sentences.did(.start, id))
      return .done
    }
  }

  private func asksToStart(in context: CommandContext) throws -> Bool {
    guard Self.hasTerminal(context) else { return false }
    return try context.console.confirms(Sentences.startQuestion)
  }
}
