import FoundationEssentials
import Glibc
import KettleControl
import KettleModel
import KettleRPC
import KettleSocket
import KettleStarter
import KettleSystem

/// A browser that can use the WebExtension.
enum Browser: String, CaseIterable, Sendable {
  case firefox, chromium, chrome

  var name: String {
    switch self {
    case .firefox: "Firefox"
    case .chromium: "Chromium"
    case .chrome: "Chrome"
    }
  }

  /// Where the browser looks for the manifests of one user.
  func userDirectory(in paths: BrowserPaths) -> String {
    switch self {
    // Also if its profiles are elsewhere.
    case .firefox: paths.home + "/.mozilla/native-messaging-hosts"
    case .chromium: paths.configuration + "/chromium/NativeMessagingHosts"
    case .chrome: paths.configuration + "/google-chrome/NativeMessagingHosts"
    }
  }

  /// The directories of its profiles. One of them is there when the browser was used.
  func profileDirectories(in paths: BrowserPaths) -> [String] {
    switch self {
    case .firefox: [paths.home + "/.mozilla/firefox", paths.configuration + "/mozilla/firefox"]
    case .chromium: [paths.configuration + "/chromium"]
    case .chrome: [paths.configuration + "/google-chrome"]
    }
  }

  /// Where the browser looks for those of all users.
  var systemDirectories: [String] {
    switch self {
    case .firefox:
      ["/usr/lib/mozilla/native-messaging-hosts", "/usr/lib64/mozilla/native-messaging-hosts"]
    case .chromium: ["/etc/chromium/native-messaging-hosts"]
    case .chrome: ["/etc/opt/chrome/native-messaging-hosts"]
    }
  }

  /// The page that loads an extension from a folder.
  var extensionPage: String {
    switch self {
    case .firefox: "about:debugging#/runtime/this-firefox"
    case .chromium, .chrome: "chrome://extensions"
    }
  }

  /// Directories of the browser as a Snap or Flatpak, relative to the home directory.
  var confinedDirectories: [String] {
    switch self {
    case .firefox: ["snap/firefox", ".var/app/org.mozilla.firefox"]
    case .chromium: ["snap/chromium", ".var/app/org.chromium.Chromium"]
    case .chrome: [".var/app/com.google.Chrome"]
    }
  }
}

/// The directories of the user that browsers and Kettle derive others from.
struct BrowserPaths: Hashable, Sendable {
  var home: String
  /// `~/.config`
  var configuration: String
  /// `~/.local/share`
  var data: String

  init(environment: [String: String]) {
    let paths = ServicePaths.of(environment: environment)
    home = paths.homeDirectory
    // Without `/kettle/config.toml`.
    configuration =
      paths.configPath.split(separator: "/", omittingEmptySubsequences: false)
      .dropLast(2).joined(separator: "/")
    let data = environment["XDG_DATA_HOME"] ?? ""
    self.data = data.hasPrefix("/") ? data : paths.homeDirectory + "/.local/share"
  }

  /// The link to this program that the manifests of the user name.
  var hostPath: String { data + "/kettle/" + HostManifest.programName }
}

/// The file that tells a browser which program an extension may start (native messaging manifests
/// of Chromium and Firefox).
struct HostManifest: Hashable, Sendable {
  /// Also the name of the file, without `.json`.
  static let name = "org.example.kettle"
  static let fileName = name + ".json"
  /// A manifest cannot contain arguments, so the program has this name.
  static let programName = "kettle-native-host"
  /// `browser_specific_settings.gecko.id` of the extension.
  static let firefoxID = "kettle@example.org"
  /// Chromium derives it from `key` of the extension: the first 16 bytes of its SHA-256, with a to
  /// p as digits.
  static let chromiumID = "ciaecdjonaljpecklcooeemphelopapl"

  var browser: Browser
  /// Absolute.
  var programPath: String

  /// With a line end after it.
  var text: String {
    var members: [JSONValue.Member] = [
      .init("name", .string(Self.name)),
      .init("description", .string("Hands downloads of the browser over to Kettle")),
      .init("path", .string(programPath)),
      .init("type", .string("stdio")),
    ]
    switch browser {
    case .firefox: members.append(.init("allowed_extensions", .array([.string(Self.firefoxID)])))
    case .chromium, .chrome:
      let origin = "chrome-extension://\(Self.chromiumID)/"
      members.append(.init("allowed_origins", .array([.string(origin)])))
    }
    return JSONValue.object(members).text + "\n"
  }

  /// Returns the path of the program in the text of a manifest, or nil if it is none.
  static func programPath(in text: [UInt8]) -> String? {
    (try? JSONReader.value(text))?.object?["path"]?.text
  }
}

/// The manifests of one user, and the link to this program that they name.
struct BrowserInstallation {
  enum State: Hashable, Sendable {
    case absent
    /// The manifest at `path` names a program that can be run.
    case installed(path: String)
    /// The program that the manifest names is not there.
    case broken(path: String, program: String)
  }

  let paths: BrowserPaths
  private let program: String

  init(in context: CommandContext, program: String = ServiceProcess.ownExecutablePath()) {
    paths = BrowserPaths(environment: context.environment)
    self.program = program
  }

  /// The browsers that the user has used.
  var presentBrowsers: [Browser] {
    Browser.allCases.filter { $0.profileDirectories(in: paths).contains(where: Self.isDirectory) }
  }

  /// The browsers that are Snaps or Flatpaks here.
  var confinedBrowsers: [Browser] {
    Browser.allCases.filter { browser in
      browser.confinedDirectories.contains { Self.isDirectory(paths.home + "/" + $0) }
    }
  }

  /// The folder of the extension that was installed with this program; nil if there is none.
  var extensionDirectory: String? {
    let prefix = URL(filePath: program).deletingLastPathComponent().deletingLastPathComponent()
    let directory = prefix.appending(path: "share/kettle/webextension").path
    return Self.isDirectory(directory) ? directory : nil
  }

  /// Writes the manifest for a browser, and returns its path.
  func install(for browser: Browser) throws(BrowserError) -> String {
    try makeLink()
    let path = manifestPath(of: browser)
    try makeDirectory(of: path)
    let text = HostManifest(browser: browser, programPath: paths.hostPath).text
    do throws(SystemError) {
      try FileReplacement.write(Array(text.utf8), to: path, mode: 0o644)
    } catch {
      throw BrowserError(path: path, detail: error.message)
    }
    return path
  }

  /// Removes the manifest for a browser. Returns whether there was one.
  func uninstall(for browser: Browser) throws(BrowserError) -> Bool {
    let path = manifestPath(of: browser)
    if unlink(path) == 0 { return true }
    let error = SystemError(errno)
    guard error.code == ENOENT || error.code == ENOTDIR else {
      throw BrowserError(path: path, detail: error.message)
    }
    return false
  }

  /// Removes the link to the program if no manifest of this user is left.
  func removeUnusedLink() {
    let isUsed = Browser.allCases.contains { access(manifestPath(of: $0), F_OK) == 0 }
    if !isUsed { unlink(paths.hostPath) }
  }

  /// What the browser finds: the manifest of the user, or else that of all users.
  func state(of browser: Browser) -> State {
    let systemPaths = browser.systemDirectories.map { $0 + "/" + HostManifest.fileName }
    for path in [manifestPath(of: browser)] + systemPaths {
      guard case .bytes(let bytes) = FileContents.read(path: path, byteCountMax: 65_536) else {
        continue
      }
      let program = HostManifest.programPath(in: bytes) ?? ""
      return access(program, X_OK) == 0
        ? .installed(path: path) : .broken(path: path, program: program)
    }
    return .absent
  }

  func manifestPath(of browser: Browser) -> String {
    browser.userDirectory(in: paths) + "/" + HostManifest.fileName
  }

  /// Replaces the link atomically, because a browser may be starting the program through it.
  private func makeLink() throws(BrowserError) {
    let path = paths.hostPath
    try makeDirectory(of: path)
    let temporary = "\(path).\(getpid()).new"
    unlink(temporary)
    guard symlink(program, temporary) == 0, rename(temporary, path) == 0 else {
      let error = SystemError(errno)
      unlink(temporary)
      throw BrowserError(path: path, detail: error.message)
    }
  }

  private func makeDirectory(of path: String) throws(BrowserError) {
    let directory = URL(filePath: path).deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
    } catch {
      throw BrowserError(path: directory, detail: "the directory cannot be created")
    }
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

/// A file of the installation cannot be written or removed.
struct BrowserError: Error, Hashable {
  var path: String
  var detail: String
}
