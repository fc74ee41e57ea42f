import ArgumentParser

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
