import KettleControl
import KettleDashboard
import KettleModel

/// Sentences about browsers and their extension.
extension Sentences {
  static func of(_ problem: NativeFrames.Problem) -> String {
    switch problem {
    case .tooLong(let byteCount):
      "A message of \(byteCount) bytes is longer than \(NativeFrames.receivedByteCountMax); "
        + "please report it"
    case .truncated: "The browser closed the connection within a message; try again"
    }
  }

  static func of(_ problem: BrowserRequest.Problem) -> String {
    switch problem {
    case .notJSON: "The request of the extension is not valid JSON; please report it"
    case .unknownMethod(let name):
      "This program does not know the request \(quoted(name, limit: 60)); "
        + "update Kettle, or load its own version of the extension"
    case .property(let name):
      "The request of the extension has no valid \(quoted(name)); load the extension of this "
        + "version of Kettle"
    case .url(let text, let why): why.sentence(text)
    }
  }

  static func of(_ problem: KettleLink.Problem) -> String {
    switch problem {
    case .notAdd:
      "The link is not understood; only kettle://add?url=URL is"
    case .parameter(let name):
      "The link has a parameter \(quoted(name, limit: 60)) too many; only one url and one title are "
        + "accepted"
    case .escape: "The link is not percent-encoded correctly; copy it again"
    case .noURL: "The link contains no URL; it has to be kettle://add?url=URL"
    case .url(let text, let why): why.sentence(text)
    }
  }

  static func of(_ error: BrowserError) -> String {
    "\(quoted(error.path, limit: 4096)) cannot be written "
      + "(\(error.detail.sanitizedForDisplay(limit: 200))); check its permissions"
  }

  // MARK: Installation

  static let noBrowser =
    "No browser has a profile in your home directory; start yours once, or name it with --browser"

  static func browserInstalled(_ browser: Browser, path: String) -> String {
    "\(browser.name) can start Kettle, by \(quoted(path, limit: 4096))"
  }

  static func browserUninstalled(_ browser: Browser, wasThere: Bool) -> String {
    wasThere
      ? "\(browser.name) cannot start Kettle any more"
      : "There was no manifest for \(browser.name) in your home directory"
  }

  static func browserState(_ browser: Browser, _ state: BrowserInstallation.State) -> String {
    switch state {
    case .absent: "\(browser.name): not installed; run \"kettle browser install\""
    case .installed(let path): "\(browser.name): installed, by \(quoted(path, limit: 4096))"
    case .broken(let path, let program):
      "\(browser.name): \(quoted(path, limit: 4096)) names \(quoted(program, limit: 4096)), which "
        + "cannot be run; run \"kettle browser install\""
    }
  }

  static func browserIsConfined(_ browser: Browser) -> String {
    "\(browser.name) is a Snap or a Flatpak here, which may not see the manifest; "
      + "the package of your distribution or of \(browser.name) itself does"
  }

  /// What is left to do by hand: the extension is in no store.
  static func extensionInstructions(for browsers: [Browser], directory: String?) -> [String] {
    let folder =
      directory.map { quoted($0, limit: 4096) } ?? "assets/webextension of Kettle's sources"
    var lines = ["Now load the extension, which is in \(folder):"]
    for browser in browsers {
      switch browser {
      case .firefox:
        lines.append(
          "  Firefox: open \(browser.extensionPage), choose \"Load Temporary Add-on\" and its "
            + "manifest.json; it stays until Firefox is closed")
      case .chromium, .chrome:
        lines.append(
          "  \(browser.name): open \(browser.extensionPage), turn on \"Developer mode\", choose "
            + "\"Load unpacked\" and the folder")
      }
    }
    return lines
  }

  // MARK: Links

  static let startQuestion = "A link asks for this download. Start it now?"

  static let enterCloses = "Press Enter to close "

  static func linkIsPaused(_ link: KettleLink, as id: TransferID) -> String {
    let title = link.title.map { ", which the link calls \(quoted($0))" } ?? ""
    return "\(id) paused: \(quoted(link.source.url.text, limit: 2000))\(title)"
  }

  static func linkIsListed(_ url: String, as found: FindURLs.Found) -> String {
    "\(quoted(url, limit: 2000)) is on the list already, as \(found.id) "
      + "(\(Strings.countWord(found.state))); "
      + "nothing was added"
  }

  static func howToStart(_ id: TransferID) -> String {
    "It stays paused; \"kettle start \(id)\" starts it, \"kettle remove \(id)\" removes it"
  }
}
